// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/names/endpoint_name.h"

#include <algorithm>
#include <cstdio>

#include "base/big_endian.h"

namespace quadrille::fabric {
namespace {

constexpr std::uint32_t magic = 0x51464934;  // "QFI4"
// Smaller than what every host has to take (RFC 791), less all headers.
constexpr std::uint16_t least_payload = 400;
constexpr std::size_t last_bytes = 4 + 4 + 2 + 2 * (wire::most_paths - 1);  // behind the key

}  // namespace

std::array<std::byte, name_bytes> encode(const EndpointName& name) {
  std::array<std::byte, name_bytes> bytes{};
  BigEndianWriter writer(bytes);
  writer.put(magic, 4);
  writer.put(name.at.address, 4);
  writer.put(name.at.port, 2);
  writer.put(name.payload, 2);
  std::ranges::copy(std::as_bytes(std::span(name.key)), writer.rest().begin());
  BigEndianWriter last(std::span<std::byte>(bytes).last(last_bytes));
  last.put(name.inbox ? name.inbox->process : 0, 4);
  last.put(name.inbox ? name.inbox->descriptor : 0, 4);
  last.put(name.streams, 2);
  for (const std::uint16_t port : name.other_ports) last.put(port, 2);
  return bytes;
}

std::optional<EndpointName> decode_name(std::span<const std::byte> bytes) {
  if (bytes.size() < name_bytes) return std::nullopt;
  BigEndianReader reader(bytes.first(name_bytes));
  if (reader.take(4) != magic) return std::nullopt;
  EndpointName name;
  name.at.address = static_cast<std::uint32_t>(reader.take(4));
  name.at.port = static_cast<std::uint16_t>(reader.take(2));
  name.payload = static_cast<std::uint16_t>(reader.take(2));
  std::ranges::copy(reader.rest().first(name.key.size()),
                    std::as_writable_bytes(std::span(name.key)).begin());
  BigEndianReader last(bytes.first(name_bytes).last(last_bytes));
  const InboxPlace inbox{static_cast<std::uint32_t>(last.take(4)),
                         static_cast<std::uint32_t>(last.take(4))};
  if (inbox.process != 0) name.inbox = inbox;
  name.streams = static_cast<std::uint16_t>(last.take(2));
  for (std::uint16_t& port : name.other_ports) port = static_cast<std::uint16_t>(last.take(2));
  if (name.at.port == 0 || name.payload < least_payload) return std::nullopt;
  return name;
}

std::string text_of(const EndpointName& name) {
  const std::uint32_t address = name.at.address;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "quadrille://%u.%u.%u.%u:%u/%02x%02x%02x%02x",
                address >> 24U, address >> 16U & 255U, address >> 8U & 255U, address & 255U,
                name.at.port, name.key[0], name.key[1], name.key[2], name.key[3]);
  return text.data();
}

}  // namespace quadrille::fabric
