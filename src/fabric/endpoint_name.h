// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint is called among the ranks of a job: where its datagrams go, the largest packet
// that its network takes, and its public key. It is what fi_getname() gives and fi_av_insert()
// takes; docs/fabric.md has the table.
//
//   offset  width  in the bytes
//   0       4      "QFI1"
//   4       4      IPv4 address, big-endian
//   8       2      UDP port, big-endian
//   10      2      bytes of payload in a full packet, big-endian
//   12      32     X25519 public key
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "wire/links/address.h"

namespace quadrille::fabric {

using PublicKey = std::array<unsigned char, 32>;

// Open MPI 4.1 keeps 64 bytes for one.
constexpr std::size_t name_bytes = 44;

struct EndpointName {
  wire::NetworkAddress at;
  std::uint16_t payload = 0;
  PublicKey key{};

  bool operator==(const EndpointName&) const = default;
};

std::array<std::byte, name_bytes> encode(const EndpointName& name);
// Nothing where the bytes are no name, or another version's.
std::optional<EndpointName> decode_name(std::span<const std::byte> bytes);

// For people: quadrille://10.0.0.1:40000/8a3f01...
std::string text_of(const EndpointName& name);

}  // namespace quadrille::fabric
