// SPDX-License-Identifier: BSD-3-Clause
// libsodium's crypto_shorthash and crypto_generichash. The whole number stands where the tag will
// be while the tag is computed, so that what is hashed lies in one piece.
#include "wire/seal/authentication.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "wire/seal/octets.h"
#include "wire/seal/run_seal.h"

namespace quadrille::wire {
namespace {

static_assert(crypto_shorthash_BYTES == tag_bytes);
static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<Key>);

using Tag = std::array<std::byte, tag_bytes>;

Tag tag_of(const Key& key, Sequence number, std::span<std::byte> packet) {
  const auto place = packet.last(tag_bytes);
  for (std::size_t i = 0; i < tag_bytes; ++i)
    place[i] = static_cast<std::byte>(number >> (56 - 8 * i) & 0xff);
  Tag tag{};
  crypto_shorthash(reinterpret_cast<unsigned char*>(tag.data()), octets_of(packet.data()),
                   packet.size(), octets_of(key.data()));
  return tag;
}

// In the same time wherever they differ: as one number each, which is a sixth of what a call of
// sodium_memcmp takes.
bool is_same(const Tag& tag, std::span<const std::byte> claimed) {
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  static_assert(sizeof one == tag_bytes);
  std::memcpy(&one, tag.data(), tag_bytes);
  std::memcpy(&other, claimed.data(), tag_bytes);
  return (one ^ other) == 0;
}

// No endpoint's number: these have 24 bits.
constexpr EndpointId no_endpoint = 0xffffffff;

std::vector<unsigned char> bytes_of(const std::vector<EndpointId>& ends) {
  std::vector<unsigned char> bytes;
  for (const EndpointId end : ends) {
    for (unsigned shift = 32; shift > 0; shift -= 8)
      bytes.push_back(static_cast<unsigned char>(end >> (shift - 8)));
  }
  return bytes;
}

Key derived(const Secret& secret, const std::vector<unsigned char>& bytes) {
  Key key{};
  crypto_generichash(reinterpret_cast<unsigned char*>(key.data()), key.size(), bytes.data(),
                     bytes.size(), octets_of(secret.data()), secret.size());
  return key;
}

}  // namespace

bool start_authentication() {
  try {
    RunSeal(Key{}).tag(0, 0, {});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return sodium_init() >= 0;
}

Key key_between(const Secret& secret, EndpointId from, EndpointId to) {
  return derived(secret, bytes_of({from, to}));
}

Key key_of_group(const Secret& secret, EndpointId from, std::span<const EndpointId> members) {
  std::vector<EndpointId> all{from, no_endpoint};  // so that no pair has it
  all.insert(all.end(), members.begin(), members.end());
  return derived(secret, bytes_of(all));
}

Key run_key(const Secret& secret, const Key& key) {
  auto bytes = bytes_of({no_endpoint});  // with which nothing else begins
  const std::span<const unsigned char> all(octets_of(key.data()), key.size());
  bytes.insert(bytes.end(), all.begin(), all.end());
  return derived(secret, bytes);
}

namespace {

Tag header_tag(const Key& key, Sequence number, std::span<const std::byte> packet) {
  std::array<std::byte, overhead_bytes> hashed{};
  std::copy_n(packet.data(), header_bytes, hashed.data());
  return tag_of(key, number, hashed);
}

}  // namespace

void seal_header(const Key& key, Sequence number, std::span<std::byte> packet) {
  const Tag tag = header_tag(key, number, packet);
  std::ranges::copy(tag, packet.last(tag_bytes).begin());
}

bool is_header_sealed(const Key& key, Sequence number, std::span<const std::byte> packet) {
  const Tag tag = header_tag(key, number, packet);
  return is_same(tag, packet.last(tag_bytes));
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
  return is_same(tag, claimed);
}

}  // namespace quadrille::wire
