// SPDX-License-Identifier: BSD-3-Clause
// libsodium's crypto_generichash.
#include "wire/seal/keys.h"

#include <sodium.h>

#include <vector>

#include "wire/seal/octets.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

// No endpoint's number: these have 24 bits.
constexpr EndpointId no_endpoint = 0xffffffff;

Key derived(const Secret& secret, const std::vector<EndpointId>& ends) {
  std::vector<unsigned char> bytes;
  for (const EndpointId end : ends) {
    for (unsigned shift = 32; shift > 0; shift -= 8)
      bytes.push_back(static_cast<unsigned char>(end >> (shift - 8)));
  }
  Key key{};
  static_assert(std::tuple_size_v<Key> <= crypto_generichash_BYTES_MAX);
  crypto_generichash(octets_of(key.data()), key.size(), bytes.data(), bytes.size(),
                     octets_of(secret.data()), secret.size());
  return key;
}

}  // namespace

bool start_cryptography() { return sodium_init() >= 0 && start_ciphers(); }

Key key_between(const Secret& secret, EndpointId from, EndpointId to) {
  return derived(secret, {from, to});
}

Key key_of_group(const Secret& secret, EndpointId from, std::span<const EndpointId> members) {
  std::vector<EndpointId> all{from, no_endpoint};  // so that no pair has it
  all.insert(all.end(), members.begin(), members.end());
  return derived(secret, all);
}

}  // namespace quadrille::wire
