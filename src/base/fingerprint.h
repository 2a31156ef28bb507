// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every host and in
// every version, which std::hash need not be.
#pragma once

#include <cstdint>
#include <string_view>

namespace quadrille {

constexpr std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace quadrille
