// SPDX-License-Identifier: BSD-3-Clause
// Memory that the next user of it finds again: as large as the largest of its latest users needed,
// so that one large use does not hold its memory for ever.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace quadrille {

class KeptBuffer {
 public:
  // Uses in a row that need less than a quarter of it before it shrinks to what they need.
  static constexpr int uses_before_shrinking = 256;

  // At least so many bytes, contents undefined; valid until the next call.
  std::byte* use(std::size_t bytes) {
    if (size_ < bytes) resize(bytes);
    recent_most_ = std::max(recent_most_, bytes);
    if (++uses_ == uses_before_shrinking) {
      if (recent_most_ < size_ / 4) resize(recent_most_);
      recent_most_ = 0;
      uses_ = 0;
    }
    return bytes_.get();
  }

  std::size_t size() const { return size_; }

 private:
  void resize(std::size_t bytes) {
    bytes_.reset();
    size_ = 0;
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
  std::size_t recent_most_ = 0;
  int uses_ = 0;
};

}  // namespace quadrille
