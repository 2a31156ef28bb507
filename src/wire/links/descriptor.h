// SPDX-License-Identifier: BSD-3-Clause
// A descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace quadrille::wire {

class Descriptor {
 public:
  Descriptor() = default;
  // Takes it over; negative: none.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  const int& get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace quadrille::wire
