// SPDX-License-Identifier: BSD-3-Clause
// First in, first out, in one array that grows to the longest queue there was: no allocation per
// frame.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace quadrille::probe {

template <typename T>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  // REQUIRES: !empty()
  const T& front() const { return cells_[first_ & mask()]; }
  void pop() { ++first_; }
  void push(const T& value) {
    if (end_ - first_ == cells_.size()) grow();
    cells_[end_++ & mask()] = value;
  }

 private:
  std::size_t mask() const { return cells_.size() - 1; }
  void grow() {
    std::vector<T> larger(cells_.empty() ? 16 : 2 * cells_.size());
    std::size_t count = 0;
    for (; first_ != end_; ++first_) larger[count++] = cells_[first_ & mask()];
    cells_ = std::move(larger);
    first_ = 0;
    end_ = count;
  }

  std::vector<T> cells_;  // a power of two of them
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace quadrille::probe
