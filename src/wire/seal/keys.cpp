// SPDX-License-Identifier: BSD-3-Clause
// libsodium's crypto_generichash.
#include "wire/seal/keys.h"

#include <sodium.h>

#include <vector>

#include "base/big_endian.h"
#include "wire/seal/octets.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

// No endpoint's number: these have 24 bits.
constexpr EndpointId no_endpoint = 0xffffffff;

template <typename Hash>
Hash hash_of(std::span<const std::byte> bytes, const Secret& secret) {
  Hash hash{};
  static_assert(std::tuple_size_v<Hash> <= crypto_generichash_BYTES_MAX);
  crypto_generichash(octets_of(hash.data()), hash.size(), octets_of(bytes.data()), bytes.size(),
                     octets_of(secret.data()), secret.size());
  return hash;
}

Key derived(const Secret& secret, const std::vector<EndpointId>& ends) {
  std::vector<std::byte> bytes(ends.size() * sizeof(EndpointId));
  BigEndianWriter writer(bytes);
  for (const EndpointId end : ends) writer.put(end, sizeof end);
  return hash_of<Key>(bytes, secret);
}

}  // namespace

bool start_cryptography() {
  static const bool started = sodium_init() >= 0 && start_ciphers();
  return started;
}

Secret secret_of_start(const Secret& job, const Secret& drawn) {
  return hash_of<Secret>(drawn, job);
}

Key key_between(const Secret& secret, EndpointId from, EndpointId to) {
  return derived(secret, {from, to});
}

Key key_of_group(const Secret& secret, EndpointId from, std::span<const EndpointId> members) {
  std::vector<EndpointId> all{from, no_endpoint};  // so that no pair has it
  all.insert(all.end(), members.begin(), members.end());
  return derived(secret, all);
}

}  // namespace quadrille::wire
