// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/names/introduction.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "wire/seal/octets.h"

namespace quadrille::fabric {
namespace {

constexpr std::byte mark_of_introduction{0xf1};
constexpr std::byte mark_of_farewell{0xf2};
constexpr std::size_t tag_bytes = 16;
static_assert(tag_bytes >= crypto_generichash_BYTES_MIN);

using Tag = std::array<unsigned char, tag_bytes>;

Tag tag_of(std::span<const std::byte> claim, const EndpointName& receiver,
           const wire::Secret& secret) {
  std::array<std::byte, 1 + 2 * name_bytes> bytes{};
  std::ranges::copy(claim, bytes.begin());
  std::ranges::copy(encode(receiver), bytes.begin() + 1 + name_bytes);
  Tag tag{};
  crypto_generichash(tag.data(), tag.size(), wire::octets_of(bytes.data()), bytes.size(),
                     wire::octets_of(secret.data()), secret.size());
  return tag;
}

void write(std::byte mark, const EndpointName& sender, const EndpointName& receiver,
           const wire::Secret& secret, std::span<std::byte> room) {
  room[0] = mark;
  std::ranges::copy(encode(sender), room.begin() + 1);
  const Tag tag = tag_of(room.first(1 + name_bytes), receiver, secret);
  std::ranges::copy(std::as_bytes(std::span(tag)), room.begin() + 1 + name_bytes);
}

}  // namespace

bool is_introduction(std::span<const std::byte> datagram) {
  return datagram.size() == introduction_bytes && datagram[0] == mark_of_introduction;
}

bool is_farewell(std::span<const std::byte> datagram) {
  return datagram.size() == introduction_bytes && datagram[0] == mark_of_farewell;
}

void write_introduction(const EndpointName& sender, const EndpointName& receiver,
                        const wire::Secret& secret, std::span<std::byte> room) {
  write(mark_of_introduction, sender, receiver, secret, room);
}

void write_farewell(const EndpointName& sender, const EndpointName& receiver,
                    const wire::Secret& secret, std::span<std::byte> room) {
  write(mark_of_farewell, sender, receiver, secret, room);
}

std::optional<EndpointName> claimed_name(std::span<const std::byte> datagram) {
  return decode_name(datagram.subspan(1, name_bytes));
}

bool is_genuine(std::span<const std::byte> datagram, const EndpointName& receiver,
                const wire::Secret& secret) {
  const Tag tag = tag_of(datagram.first(1 + name_bytes), receiver, secret);
  return sodium_memcmp(tag.data(), datagram.data() + 1 + name_bytes, tag.size()) == 0;
}

}  // namespace quadrille::fabric
