// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace quadrille {
namespace {

namespace files = std::filesystem;
using testing::IsEmpty;

constexpr std::int64_t kDayS = 86'400;

NetworkModel two_segment_model() {
  NetworkModel model;
  for (const char* host : {"h0", "h1", "h2"}) {
    const std::string segment = std::string(host) == "h2" ? "b" : "a";
    model.hosts.emplace_back().name = host;
    model.hosts.back().segment = segment;
  }
  model.segments.resize(2);
  model.segments[0].name = "a";
  model.segments[0].hosts = {"h0", "h1"};
  model.segments[1].name = "b";
  model.segments[1].hosts = {"h2"};
  return model;
}

class ModelCacheTest : public testing::Test {
 protected:
  ModelCacheTest() {
    std::string name = (files::temp_directory_path() / "quadrille-cache-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ModelCacheTest() override { files::remove_all(folder_); }

  std::string nested() const { return folder_ + "/not/yet/there"; }
  std::vector<std::string> kept(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : files::directory_iterator(folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  static std::int64_t written_s(const std::string& path) {
    struct stat entry {};
    return stat(path.c_str(), &entry) == 0 ? std::int64_t{entry.st_mtime} : 0;
  }

  std::string folder_;
  const std::vector<std::string> hosts_{"h2", "h0", "h1"};
};

TEST_F(ModelCacheTest, WhatIsKeptIsFoundUntilItExpires) {
  const ModelCache cache(nested(), kDayS);
  EXPECT_FALSE(cache.find("k", hosts_, 0));
  cache.keep("k", two_segment_model());
  const std::int64_t now_s = written_s(nested() + "/model-k.json");
  ASSERT_TRUE(cache.find("k", hosts_, now_s + kDayS - 1));
  EXPECT_EQ(*cache.find("k", hosts_, now_s), two_segment_model());
  EXPECT_FALSE(cache.find("k", hosts_, now_s + kDayS));
  EXPECT_FALSE(cache.find("other", hosts_, now_s));
}

TEST_F(ModelCacheTest, AModelThatLeavesSomethingOutExpiresAfterAnHour) {
  const ModelCache cache(folder_, kDayS);
  NetworkModel incomplete = two_segment_model();
  incomplete.warnings.push_back({"left_out", "multicast: no time", {}});
  cache.keep("k", incomplete);
  const std::int64_t now_s = written_s(folder_ + "/model-k.json");
  EXPECT_TRUE(cache.find("k", hosts_, now_s + 3599));
  EXPECT_FALSE(cache.find("k", hosts_, now_s + 3600));
}

TEST_F(ModelCacheTest, AFileFarFromTheFutureCountsAsAbsentAndOneFromSoonDoesNot) {
  const ModelCache cache(folder_, kDayS);
  cache.keep("k", two_segment_model());
  const std::int64_t now_s = written_s(folder_ + "/model-k.json");
  EXPECT_TRUE(cache.find("k", hosts_, now_s - 60));
  EXPECT_FALSE(cache.find("k", hosts_, now_s - 2 * kDayS));
}

TEST_F(ModelCacheTest, ABrokenFileCountsAsAbsentAndIsReplaced) {
  const ModelCache cache(folder_, kDayS);
  const std::string path = folder_ + "/model-k.json";
  for (const char* contents : {"", "{\"segments\": [{\"hosts\": [\"h0\"", "no model"}) {
    std::ofstream(path) << contents;
    EXPECT_FALSE(cache.find("k", hosts_, written_s(path))) << contents;
  }
  cache.keep("k", two_segment_model());
  EXPECT_TRUE(cache.find("k", hosts_, written_s(path)));
  EXPECT_THAT(kept(folder_), testing::ElementsAre("model-k.json"));
}

TEST_F(ModelCacheTest, AModelThatDoesNotKnowAHostCountsAsAbsent) {
  const ModelCache cache(folder_, kDayS);
  cache.keep("k", two_segment_model());
  const std::int64_t now_s = written_s(folder_ + "/model-k.json");
  EXPECT_FALSE(cache.find("k", {"h0", "h1", "h2", "h3"}, now_s));
}

TEST_F(ModelCacheTest, WhereNothingCanBeKeptThereIsNoCacheAndNoComplaint) {
  std::ofstream(folder_ + "/file") << "in the way";
  for (const std::string& folder : {std::string(), folder_ + "/file", folder_ + "/file/below"}) {
    const ModelCache cache(folder, kDayS);
    cache.keep("k", two_segment_model());
    EXPECT_FALSE(cache.find("k", hosts_, 0)) << folder;
  }
  const ModelCache never(folder_ + "/never", 0);
  never.keep("k", two_segment_model());
  EXPECT_FALSE(files::exists(folder_ + "/never"));
}

TEST(CacheKey, DependsOnHostsAddressesAndNetworkButNotOnTheOrder) {
  const std::string key = cache_key({{"h0", 1}, {"h1", 2}, {"h2", 3}}, "");
  EXPECT_EQ(key, cache_key({{"h2", 3}, {"h0", 1}, {"h1", 2}}, ""));
  EXPECT_NE(key, cache_key({{"h0", 1}, {"h1", 2}}, ""));
  EXPECT_NE(key, cache_key({{"h0", 1}, {"h1", 2}, {"h2", 4}}, ""));
  EXPECT_NE(key, cache_key({{"h0", 1}, {"h1", 2}, {"h3", 3}}, ""));
  EXPECT_NE(key, cache_key({{"h0", 1}, {"h1", 2}, {"h2", 3}}, "eth1"));
}

TEST(CacheFolder, IsTheWantedOneElseTheUsersElseNone) {
  std::map<std::string, const char*> environment;
  const auto folder = [&environment](const char* wanted) {
    return cache_folder(wanted, [&environment](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second;
    });
  };
  EXPECT_THAT(folder(""), IsEmpty());
  environment["HOME"] = "/home/u";
  EXPECT_EQ(folder(""), "/home/u/.cache/quadrille");
  environment["XDG_CACHE_HOME"] = "relative";
  EXPECT_EQ(folder(""), "/home/u/.cache/quadrille");
  environment["XDG_CACHE_HOME"] = "/cache";
  EXPECT_EQ(folder(""), "/cache/quadrille");
  EXPECT_EQ(folder("/wanted"), "/wanted");
}

}  // namespace
}  // namespace quadrille
