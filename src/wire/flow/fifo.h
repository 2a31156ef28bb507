// SPDX-License-Identifier: BSD-3-Clause
// A queue for what exists many thousand times and is empty most of the time: 32 bytes then, where
// std::deque takes 600. Its elements lie in a row; they move as it grows and shrinks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace quadrille::wire {

template <typename T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }

  // REQUIRES: not empty().
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  T& back() { return items_.back(); }
  // REQUIRES: at < size().
  T& operator[](std::size_t at) { return items_[head_ + at]; }
  const T& operator[](std::size_t at) const { return items_[head_ + at]; }

  T* begin() { return items_.data() + head_; }
  T* end() { return items_.data() + items_.size(); }
  const T* begin() const { return items_.data() + head_; }
  const T* end() const { return items_.data() + items_.size(); }

  void push_back(T item) { items_.push_back(std::move(item)); }
  // REQUIRES: not empty().
  void pop_front() {
    { [[maybe_unused]] const T dropped(std::move(items_[head_])); }
    if (++head_ == items_.size()) return clear();
    if (head_ * 2 < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  void clear() {
    head_ = 0;
    items_.clear();
    if (items_.capacity() * sizeof(T) > most_kept_bytes) items_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t most_kept_bytes = 512;
  std::vector<T> items_;
  std::size_t head_ = 0;  // those before it have left
};

}  // namespace quadrille::wire
