// SPDX-License-Identifier: BSD-3-Clause
// libsodium's crypto_shorthash and crypto_generichash. The whole number stands where the tag will
// be while the tag is computed, so that what is hashed lies in one piece.
#include "wire/authentication.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

namespace quadrille::wire {
namespace {

static_assert(crypto_shorthash_BYTES == tag_bytes);
static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<Key>);

using Tag = std::array<std::byte, tag_bytes>;

const unsigned char* bytes_of(const std::byte* data) {
  return reinterpret_cast<const unsigned char*>(data);
}

Tag tag_of(const Key& key, Sequence number, std::span<std::byte> packet) {
  const auto place = packet.last(tag_bytes);
  for (std::size_t i = 0; i < tag_bytes; ++i)
    place[i] = static_cast<std::byte>(number >> (56 - 8 * i) & 0xff);
  Tag tag{};
  crypto_shorthash(reinterpret_cast<unsigned char*>(tag.data()), bytes_of(packet.data()),
                   packet.size(), bytes_of(key.data()));
  return tag;
}

}  // namespace

bool start_authentication() { return sodium_init() >= 0; }

Key key_between(const Secret& secret, EndpointId from, EndpointId to) {
  std::array<unsigned char, 8> direction{};
  for (std::size_t i = 0; i < 4; ++i) {
    direction[i] = static_cast<unsigned char>(from >> (24 - 8 * i));
    direction[4 + i] = static_cast<unsigned char>(to >> (24 - 8 * i));
  }
  Key key{};
  crypto_generichash(reinterpret_cast<unsigned char*>(key.data()), key.size(), direction.data(),
                     direction.size(), bytes_of(secret.data()), secret.size());
  return key;
}

void seal(const Key& key, Sequence number, std::span<std::byte> packet) {
  const Tag tag = tag_of(key, number, packet);
  std::ranges::copy(tag, packet.last(tag_bytes).begin());
}

bool is_sealed(const Key& key, Sequence number, std::span<std::byte> packet) {
  Tag claimed{};
  std::ranges::copy(packet.last(tag_bytes), claimed.begin());
  const Tag tag = tag_of(key, number, packet);
  std::ranges::copy(claimed, packet.last(tag_bytes).begin());
  return sodium_memcmp(tag.data(), claimed.data(), tag_bytes) == 0;
}

}  // namespace quadrille::wire
