// SPDX-License-Identifier: BSD-3-Clause
// Variable-length numbers (LEB128) and zig-zag for signed ones.
#include "probe/measure/byte_codec.h"

#include <limits>

namespace quadrille::probe {

void ByteWriter::number(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
  bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::signed_number(std::int64_t value) {
  const auto doubled = static_cast<std::uint64_t>(value) << 1U;
  number(value < 0 ? ~doubled : doubled);
}

void ByteWriter::text(std::string_view value) {
  number(value.size());
  bytes_.append(value);
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    const std::uint64_t bits = byte & 0x7FU;
    if (shift == 63 && bits > 1) break;  // more than 64 bits
    value |= bits << shift;
    if (byte < 0x80U) return value;
  }
  fail();
  return 0;
}

std::uint64_t ByteReader::at_most(std::uint64_t limit) {
  const std::uint64_t value = number();
  if (value <= limit) return value;
  fail();
  return 0;
}

std::uint32_t ByteReader::number32() {
  return static_cast<std::uint32_t>(at_most(std::numeric_limits<std::uint32_t>::max()));
}

std::int64_t ByteReader::signed_number() {
  const std::uint64_t coded = number();
  const auto half = static_cast<std::int64_t>(coded >> 1U);
  return (coded & 1U) != 0 ? ~half : half;
}

std::string_view ByteReader::text() {
  const std::size_t length = count();
  const std::string_view value = rest_.substr(0, length);
  if (!failed_) rest_.remove_prefix(length);
  return value;
}

}  // namespace quadrille::probe
