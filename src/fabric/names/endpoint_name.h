// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint is called among the ranks of a job: where its datagrams go, the largest packet
// that its network takes, its public key, and where others of its host find its inbox. It is what
// fi_getname() gives and fi_av_insert() takes; docs/fabric.md has the table.
//
//   offset  width  in the bytes; numbers are big-endian
//   0       4      "QFI4"
//   4       4      IPv4 address
//   8       2      UDP port
//   10      2      bytes of payload in a full packet
//   12      32     X25519 public key
//   44      4      its process; 0: it has no inbox
//   48      4      the descriptor of its inbox there
//   52      2      TCP port where its host is asked whether it lives; 0: none
//   54      6      three more UDP ports that its long messages come from; 0: none
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "wire/links/link.h"

namespace quadrille::fabric {

using PublicKey = std::array<unsigned char, 32>;

// Open MPI 4.1 keeps 64 bytes for one.
constexpr std::size_t name_bytes = 60;

// Of an Inbox; these tell nothing on another host.
struct InboxPlace {
  std::uint32_t process = 0;
  std::uint32_t descriptor = 0;

  bool operator==(const InboxPlace&) const = default;
};

struct EndpointName {
  wire::NetworkAddress at;
  std::uint16_t payload = 0;
  PublicKey key{};
  std::optional<InboxPlace> inbox = {};
  std::uint16_t streams = 0;
  std::array<std::uint16_t, wire::most_paths - 1> other_ports{};

  bool operator==(const EndpointName&) const = default;
};

std::array<std::byte, name_bytes> encode(const EndpointName& name);
// Nothing where the bytes are no name, or another version's.
std::optional<EndpointName> decode_name(std::span<const std::byte> bytes);

// For people: quadrille://10.0.0.1:40000/8a3f01...
std::string text_of(const EndpointName& name);

}  // namespace quadrille::fabric
