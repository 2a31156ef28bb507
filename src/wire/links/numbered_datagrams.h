// SPDX-License-Identifier: BSD-3-Clause
// For tests of links: datagrams that are filled with a number, one more in each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "wire/links/link.h"

namespace quadrille::wire {

// The next one, into the batch of `from`; false where that is full.
inline bool add_numbered(Link& from, const Link& to, std::size_t length) {
  static std::size_t number = 0;
  const auto room = from.room();
  if (room.empty()) return false;
  std::ranges::fill(room.first(length), static_cast<std::byte>(number++ % 251));
  from.add(to.local(), length);
  return true;
}

// What arrives: lengths, in their order. Each holds its own number, one more than the one before.
class NumberedArrivals {
 public:
  void take(std::span<const std::byte> datagram) {
    const auto number = std::to_integer<unsigned>(datagram.front());
    EXPECT_TRUE(std::ranges::all_of(datagram, [&](std::byte b) { return b == datagram[0]; }));
    EXPECT_EQ(number, before_ ? (*before_ + 1) % 251 : number);
    before_ = number;
    lengths_.push_back(datagram.size());
  }
  const std::vector<std::size_t>& lengths() const { return lengths_; }

 private:
  std::optional<unsigned> before_;
  std::vector<std::size_t> lengths_;
};

}  // namespace quadrille::wire
