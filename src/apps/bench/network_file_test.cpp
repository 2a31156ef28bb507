// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace quadrille::bench {
namespace {

using testing::HasSubstr;

class NetworkFileTest : public testing::Test {
 protected:
  NetworkFile read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_network_file(path_);
  }
  ~NetworkFileTest() override { std::filesystem::remove(path_); }

 private:
  std::string path_ = testing::TempDir() + "network_file_test." +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(NetworkFileTest, a_model_gives_its_rates) {
  const auto file = read_network_file(std::string(QUADRILLE_SOURCE_DIR) +
                                      "/schemas/examples/network_model_full.json");
  ASSERT_TRUE(file.rates) << file.complaint;
  EXPECT_EQ(file.rates->hosts[0].in_bytes_per_second, 3'125'000);
  EXPECT_EQ(file.contents.at("version"), 1);
  const auto bound = bound_of(file, "alltoall", 1024, 0, {"h0", "h1"});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->payload.bottleneck, "host h0 out");
}

TEST_F(NetworkFileTest, the_labs_statement_is_known_by_its_bridges) {
  const auto file = read(R"({"bridges": [{"name": "s", "hosts": ["a"]}], "lab": "x",
                             "hosts": [{"name": "a", "rate_bit_s": 80}], "segments": []})");
  ASSERT_TRUE(file.rates) << file.complaint;
  EXPECT_EQ(file.rates->hosts[0].out_bytes_per_second, 10);
}

TEST_F(NetworkFileTest, what_cannot_be_used_is_said_and_not_carried_along) {
  for (const auto& [text, words] :
       {std::pair{std::string("{\"segm"), "not valid JSON"},
        std::pair{std::string(R"({"segments": [{"hosts": ["a"], "kind": "ring"}]})"), "ring"},
        std::pair{std::string(100000, '['), "nested too deep"}}) {
    const auto file = read(text);
    EXPECT_FALSE(file.rates);
    EXPECT_TRUE(file.contents.is_null());
    EXPECT_THAT(file.complaint, HasSubstr(words));
  }
  EXPECT_THAT(read_network_file("/nowhere/model.json").complaint, HasSubstr("/nowhere/model.json"));
}

}  // namespace
}  // namespace quadrille::bench
