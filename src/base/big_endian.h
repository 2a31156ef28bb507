// SPDX-License-Identifier: BSD-3-Clause
// Numbers of 1 to 8 bytes in big-endian order: alone, and one after another.
#pragma once

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace quadrille {

// The lower bits, as many as fit. REQUIRES: 1 to 8 bytes.
inline void put_big_endian(std::span<std::byte> bytes, std::uint64_t number) {
  const std::uint64_t big = htobe64(number << (64 - 8 * bytes.size()));
  std::memcpy(bytes.data(), &big, bytes.size());
}

inline std::uint64_t get_big_endian(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (const std::byte byte : bytes) number = number << 8U | std::to_integer<std::uint64_t>(byte);
  return number;
}

// Eight bytes at once.
inline std::uint64_t get_word(const std::byte* bytes) {
  std::uint64_t big = 0;
  std::memcpy(&big, bytes, sizeof big);
  return be64toh(big);
}
inline void put_word(std::byte* bytes, std::uint64_t number) {
  const std::uint64_t big = htobe64(number);
  std::memcpy(bytes, &big, sizeof big);
}

class BigEndianWriter {
 public:
  explicit BigEndianWriter(std::span<std::byte> room) : room_(room) {}

  // REQUIRES: room for `width` bytes.
  void put(std::uint64_t number, std::size_t width) {
    put_big_endian(room_.first(width), number);
    room_ = room_.subspan(width);
    written_ += width;
  }
  std::size_t written() const { return written_; }
  std::span<std::byte> rest() const { return room_; }

 private:
  std::span<std::byte> room_;
  std::size_t written_ = 0;
};

class BigEndianReader {
 public:
  explicit BigEndianReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Of what is too short comes 0, and failed() says so.
  std::uint64_t take(std::size_t width) {
    if (bytes_.size() < width) {
      failed_ = true;
      return 0;
    }
    const std::uint64_t number = get_big_endian(bytes_.first(width));
    bytes_ = bytes_.subspan(width);
    return number;
  }
  bool failed() const { return failed_; }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

}  // namespace quadrille
