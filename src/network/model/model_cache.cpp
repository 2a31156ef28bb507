// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/fingerprint.h"
#include "base/whole_file.h"

namespace quadrille {
namespace {

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

// A machine that was too busy to be measured in time may not be so for long.
constexpr std::int64_t kIncompleteExpiryS = 3600;

bool is_complete(const NetworkModel& model) {
  return std::ranges::none_of(model.warnings,
                              [](const Warning& warning) { return warning.topic == "left_out"; });
}

}  // namespace

ModelCache::ModelCache(std::string folder, std::int64_t expiry_s)
    : folder_(std::move(folder)), expiry_s_(expiry_s) {}

std::string ModelCache::path_of(const std::string& key) const {
  return folder_ + "/model-" + key + ".json";
}

std::optional<NetworkModel> ModelCache::find(const std::string& key,
                                             const std::vector<std::string>& hosts,
                                             std::int64_t now_s) const {
  struct stat entry {};
  const std::string path = path_of(key);
  if (folder_.empty() || stat(path.c_str(), &entry) != 0 || !S_ISREG(entry.st_mode)) return {};
  // A file from the future tells of clocks that differ, by little, or of nothing that is known.
  const std::int64_t age_s = std::abs(now_s - std::int64_t{entry.st_mtime});
  if (age_s >= expiry_s_) return {};
  const auto text = read_whole_file(path);
  if (!text) return {};
  auto model = parse_model(*text);
  if (!model.ok() || !segments_of(model.value(), hosts).ok()) return {};
  if (age_s >= kIncompleteExpiryS && !is_complete(model.value())) return {};
  return std::move(model.value());
}

void ModelCache::keep(const std::string& key, const NetworkModel& model) const {
  if (folder_.empty() || expiry_s_ == 0) return;
  replace_whole_file(path_of(key), print_model(model));
}

std::string cache_key(std::vector<CachedHost> hosts, const std::string& network) {
  std::sort(hosts.begin(), hosts.end(), [](const CachedHost& a, const CachedHost& b) {
    return std::tie(a.name, a.addresses) < std::tie(b.name, b.addresses);
  });
  std::string all = "version " + std::to_string(kModelVersion) + "\n" + network + "\n";
  for (const CachedHost& host : hosts) all += host.name + " " + hexadecimal(host.addresses) + "\n";
  return hexadecimal(fingerprint(all));
}

std::string cache_folder(const std::string& wanted,
                         const std::function<const char*(const char*)>& lookup) {
  if (!wanted.empty()) return wanted;
  // A relative path is to be ignored, says the specification.
  const auto absolute = [&lookup](const char* variable) {
    const char* value = lookup(variable);
    return value != nullptr && *value == '/' ? std::string(value) : std::string();
  };
  if (const std::string cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/quadrille";
  }
  const std::string home = absolute("HOME");
  return home.empty() ? home : home + "/.cache/quadrille";
}

}  // namespace quadrille
