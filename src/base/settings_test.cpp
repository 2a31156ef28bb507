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
  EXPECT_EQ(settings.error().message, "QUADRILLE_TRIALS=3x: expected a whole number of 0 or more");
}

TEST(Settings, a_flag_is_on_or_off_and_nothing_else) {
  EXPECT_FALSE(read({{"QUADRILLE_COLLECTIVES", "yes"}}).ok());
  EXPECT_FALSE(read({{"QUADRILLE_COLLECTIVES", "off"}}).value().collectives);
}

TEST(Settings, log_topics_are_whole_words) {
  const auto settings = read({{"QUADRILLE_LOG", "start,planner"}});
  EXPECT_TRUE(settings.value().logs("start"));
  EXPECT_FALSE(settings.value().logs("plan"));
}

}  // namespace
}  // namespace quadrille
