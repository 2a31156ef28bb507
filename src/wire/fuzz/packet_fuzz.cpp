// SPDX-License-Identifier: BSD-3-Clause
// Whatever bytes pass as a packet or as an ACK mean what is written for the same values. Built
// and run by scripts/fuzz.sh.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "wire/packet.h"

namespace quadrille::wire {
namespace {

void look(std::span<std::byte> packet) {
  ParseError error = ParseError::none;
  const auto parsed = parse_packet(packet, error);
  if (parsed.has_value() != (error == ParseError::none)) std::abort();
  if (!parsed) return;
  std::vector<std::byte> again(packet.size());
  write_header(parsed->header, again);
  if (!std::ranges::equal(std::span(again).first(header_bytes), packet.first(header_bytes)))
    std::abort();
  if (parsed->body.size() + overhead_bytes != packet.size()) std::abort();
}

void look_at_ack(std::span<const std::byte> body) {
  const auto ack = parse_ack(body);
  if (!ack) return;
  std::array<std::byte, largest_ack> again{};
  const std::size_t length = write_ack(*ack, again);
  if (!std::ranges::equal(std::span(again).first(length), body)) std::abort();
}

}  // namespace
}  // namespace quadrille::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::transform(data, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  quadrille::wire::look(bytes);
  quadrille::wire::look_at_ack(bytes);
  return 0;
}
