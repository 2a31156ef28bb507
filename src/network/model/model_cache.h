// SPDX-License-Identifier: BSD-3-Clause
// Models measured at program start, kept for the next start on the same hosts: one file for each
// set of hosts. A cache that cannot be used is as good as an empty one, so nothing here is an
// error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "network/model/model.h"

namespace quadrille {

// What tells one host from all others, and one network of it from another.
struct CachedHost {
  std::string name;
  std::uint64_t addresses = 0;  // fingerprint
};

class ModelCache {
 public:
  // An empty `folder` keeps nothing.
  ModelCache(std::string folder, std::int64_t expiry_s);

  // The model kept under `key`, if there is one that can be read, is younger than the expiry at
  // `now_s` (seconds since 1970) and knows the segment of each of `hosts`. One that leaves out what
  // there was no time for expires after an hour at the latest.
  std::optional<NetworkModel> find(const std::string& key, const std::vector<std::string>& hosts,
                                   std::int64_t now_s) const;
  // Replaces the file as a whole: whoever reads meanwhile sees the old one or the new one.
  void keep(const std::string& key, const NetworkModel& model) const;

 private:
  std::string path_of(const std::string& key) const;

  std::string folder_;
  std::int64_t expiry_s_;
};

// The same for the same hosts in any order; `network` is what else decides what is measured, such
// as the interface that the user names.
std::string cache_key(std::vector<CachedHost> hosts, const std::string& network);

// `wanted` where it is not empty, else "quadrille" in the user's cache folder (XDG base directory
// specification); empty where there is none. `lookup` is as getenv.
std::string cache_folder(const std::string& wanted,
                         const std::function<const char*(const char*)>& lookup);

}  // namespace quadrille
