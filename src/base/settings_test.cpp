// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace quadrille {
namespace {

Result<Settings> read(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, an_empty_environment_gives_the_defaults_of_the_table) {
  const auto settings = read({});
  ASSERT_TRUE(settings.ok());
  EXPECT_TRUE(settings.value().collectives);
  EXPECT_EQ(settings.value().trials, 8);
  EXPECT_EQ(settings.value().wire, "auto");
}

TEST(Settings, a_broken_value_names_the_variable_and_the_value) {
  const auto settings = read({{"QUADRILLE_TRIALS", "3x"}});
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().message,
            "QUADRILLE_TRIALS=3x: expected a whole number from 0 to 100000");
}

TEST(Settings, a_flag_is_on_or_off_and_nothing_else) {
  EXPECT_FALSE(read({{"QUADRILLE_COLLECTIVES", "yes"}}).ok());
  EXPECT_FALSE(read({{"QUADRILLE_COLLECTIVES", "off"}}).value().collectives);
}

TEST(Settings, what_may_be_is_told_as_the_table_has_it) {
  EXPECT_EQ(read({{"QUADRILLE_WIRE", "tcp"}}).error().message,
            "QUADRILLE_WIRE=tcp: expected auto, udp, packet, xdp or off");
  EXPECT_TRUE(read({{"QUADRILLE_WIRE", "xdp"}}).ok());
  EXPECT_EQ(read({{"QUADRILLE_MULTICAST", "on"}}).error().message,
            "QUADRILLE_MULTICAST=on: expected auto or off");
  EXPECT_EQ(read({{"QUADRILLE_HANDSHAKE_S", "-1"}}).error().message,
            "QUADRILLE_HANDSHAKE_S=-1: expected a whole number of 0 or more");
  EXPECT_FALSE(read({{"QUADRILLE_TRIALS", "100001"}}).ok());
  EXPECT_TRUE(read({{"QUADRILLE_TRIALS", "100000"}}).ok());
}

TEST(Settings, a_misspelt_variable_is_told_with_what_may_be_meant) {
  EXPECT_EQ(misspelt_settings({"PATH=/bin", "QUADRILLE_ALGORITM=x", "QUADRILLE_LAB=y"}),
            std::vector<std::string>{"unknown setting QUADRILLE_ALGORITM, did you mean "
                                     "QUADRILLE_ALGORITHM? (`quadrille env --help` shows all)"});
  EXPECT_EQ(misspelt_settings({"QUADRILLE_SOMETHING_ELSE=1"}),
            std::vector<std::string>{"unknown setting QUADRILLE_SOMETHING_ELSE (`quadrille env "
                                     "--help` shows all)"});
}

TEST(Settings, an_unknown_topic_is_told_and_the_others_are_logged) {
  EXPECT_EQ(misspelt_settings({"QUADRILLE_LOG=plans,wire"}),
            std::vector<std::string>{
                "QUADRILLE_LOG: unknown topic plans; expected start, plan, wire or fabric"});
  EXPECT_TRUE(read({{"QUADRILLE_LOG", "plans,wire"}}).value().logs("wire"));
}

TEST(Settings, log_topics_are_whole_words) {
  const auto settings = read({{"QUADRILLE_LOG", "start,planner"}});
  EXPECT_TRUE(settings.value().logs("start"));
  EXPECT_FALSE(settings.value().logs("plan"));
}

}  // namespace
}  // namespace quadrille
