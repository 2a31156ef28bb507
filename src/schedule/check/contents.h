// SPDX-License-Identifier: BSD-3-Clause
// Symbolic contents of buffers: not the bytes, but which element of whose contribution each one is,
// or which tree of reductions it went through. Equal neighbours are kept as one interval, so a
// large buffer costs no more than a small one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/schedule.h"

namespace quadrille {

// A contribution or a reduction of two expressions, numbered so that equal trees have equal
// numbers.
using Expression = std::uint32_t;
inline constexpr Expression uninitialised = 0xffffffffU;

class Expressions {
 public:
  // Expressions 0 to ranks - 1 are the ranks' own contributions.
  explicit Expressions(Rank ranks);

  // left op right
  Expression combine(Expression left, Expression right);

  // The contributing ranks from left to right, as often as they contribute.
  const std::vector<Rank>& contributors(Expression expression) const {
    return contributors_[expression];
  }

 private:
  std::vector<std::vector<Rank>> contributors_;
  std::unordered_map<std::uint64_t, Expression> known_;  // key: left, right
};

// `length` elements of an expression from its element number `origin` on.
struct Extent {
  std::uint64_t length = 0;
  Expression expression = uninitialised;
  std::uint64_t origin = 0;

  bool operator==(const Extent&) const = default;
};

class Contents {
 public:
  // What a region holds, as few extents as possible.
  std::vector<Extent> read(const Region& region) const;
  void write(const Region& region, std::span<const Extent> extents);

 private:
  using Extents = std::map<std::uint64_t, Extent>;  // key: first element
  static void cut(Extents& extents, std::uint64_t position);

  std::array<Extents, 3> buffers_;
};

// Two equally long lists of extents cut at the same places.
struct ExtentPair {
  Extent left;
  Extent right;
};
std::vector<ExtentPair> cut_alike(std::span<const Extent> left, std::span<const Extent> right);

}  // namespace quadrille
