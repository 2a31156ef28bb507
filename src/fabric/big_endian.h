// SPDX-License-Identifier: BSD-3-Clause
// Numbers of 1 to 8 bytes in big-endian order, one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quadrille::fabric {

class Writer {
 public:
  explicit Writer(std::span<std::byte> room) : room_(room) {}

  // REQUIRES: room for `width` bytes.
  void put(std::uint64_t number, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      room_[i] = static_cast<std::byte>(number >> (8 * (width - 1 - i)) & 0xff);
    room_ = room_.subspan(width);
    written_ += width;
  }
  std::size_t written() const { return written_; }
  std::span<std::byte> rest() const { return room_; }

 private:
  std::span<std::byte> room_;
  std::size_t written_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Of what is too short comes 0, and failed() says so.
  std::uint64_t take(std::size_t width) {
    if (bytes_.size() < width) {
      failed_ = true;
      return 0;
    }
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i)
      number = number << 8U | std::to_integer<std::uint64_t>(bytes_[i]);
    bytes_ = bytes_.subspan(width);
    return number;
  }
  bool failed() const { return failed_; }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

}  // namespace quadrille::fabric
