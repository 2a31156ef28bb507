// SPDX-License-Identifier: BSD-3-Clause
// Byte by byte, so that hosts of either byte order agree.
#include "probe/measure/agent/datagram.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t magic = 0x70524451;  // "QDRp"

void put_number(unsigned char*& to, std::uint64_t value, unsigned width) {
  for (unsigned byte = 0; byte < width; ++byte) {
    *to++ = static_cast<unsigned char>(value >> (8U * byte));
  }
}

std::uint64_t take(const unsigned char*& from, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned byte = 0; byte < width; ++byte) value |= std::uint64_t{*from++} << (8U * byte);
  return value;
}

}  // namespace

void Datagram::write(unsigned char* to) const {
  put_number(to, magic, 4);
  put_number(to, job, 8);
  put_number(to, round, 4);
  put_number(to, static_cast<std::uint8_t>(kind), 1);
  put_number(to, 0, 1);
  put_number(to, piece, 2);
  put_number(to, from, 4);
  put_number(to, id, 4);
  put_number(to, index, 4);
  put_number(to, static_cast<std::uint64_t>(sent_ns), 8);
  put_number(to, held_ns, 4);
}

std::optional<Datagram> Datagram::read(const unsigned char* from, std::size_t length) {
  if (length < bytes || take(from, 4) != magic) return std::nullopt;
  Datagram found;
  found.job = take(from, 8);
  found.round = static_cast<std::uint32_t>(take(from, 4));
  const std::uint64_t kind = take(from, 1);
  if (kind > static_cast<std::uint8_t>(DatagramKind::multicast) || take(from, 1) != 0) {
    return std::nullopt;
  }
  found.kind = static_cast<DatagramKind>(kind);
  found.piece = static_cast<std::uint16_t>(take(from, 2));
  found.from = static_cast<std::uint32_t>(take(from, 4));
  found.id = static_cast<std::uint32_t>(take(from, 4));
  found.index = static_cast<std::uint32_t>(take(from, 4));
  found.sent_ns = static_cast<std::int64_t>(take(from, 8));
  found.held_ns = static_cast<std::uint32_t>(take(from, 4));
  return found;
}

}  // namespace quadrille::probe
