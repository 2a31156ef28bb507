// SPDX-License-Identifier: BSD-3-Clause
// Rows of bits, and the largest set of (row, column) pairs with a set bit in which no row and no
// column comes twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quadrille {

class BitRows {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  BitRows(std::size_t rows, std::size_t columns)
      : columns_(columns), words_((columns + 63) / 64), bits_(rows * words_) {}

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  bool has(std::size_t row, std::size_t column) const {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1U) != 0;
  }
  void set(std::size_t row, std::size_t column) {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  // row |= other's `other_row`. REQUIRES: equally many columns.
  void add(std::size_t row, const BitRows& other, std::size_t other_row) {
    for (std::size_t word = 0; word < words_; ++word) {
      bits_[row * words_ + word] |= other.bits_[other_row * words_ + word];
    }
  }

 private:
  std::size_t columns_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// The size of a maximum matching of rows to columns along set bits.
// Kuhn's augmenting paths: O(rows * bits) at worst, near O(bits) for orders that are unions of
// chains.
std::size_t maximum_matching(const BitRows& allowed);

}  // namespace quadrille
