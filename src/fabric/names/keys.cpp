// SPDX-License-Identifier: BSD-3-Clause
// libsodium's crypto_scalarmult and crypto_generichash.
#include "fabric/names/keys.h"

#include <sodium.h>

#include <algorithm>

#include "wire/seal/octets.h"

namespace quadrille::fabric {

static_assert(crypto_scalarmult_BYTES == std::tuple_size_v<PublicKey>);
static_assert(crypto_scalarmult_SCALARBYTES == 32);

KeyPair::KeyPair() {
  randombytes_buf(secret_.data(), secret_.size());
  crypto_scalarmult_base(public_.data(), secret_.data());
}

KeyPair::~KeyPair() { sodium_memzero(secret_.data(), secret_.size()); }

std::optional<wire::Secret> KeyPair::secret_with(const PublicKey& peer,
                                                 const std::optional<wire::Secret>& job) const {
  std::array<unsigned char, crypto_scalarmult_BYTES> shared{};
  // It refuses keys of small order, with which anybody could compute the result.
  if (crypto_scalarmult(shared.data(), secret_.data(), peer.data()) != 0) return std::nullopt;
  const auto& [low, high] = std::minmax(public_, peer);
  crypto_generichash_state state{};
  wire::Secret secret{};
  const auto* key = job ? wire::octets_of(job->data()) : nullptr;
  crypto_generichash_init(&state, key, job ? job->size() : 0, secret.size());
  crypto_generichash_update(&state, shared.data(), shared.size());
  crypto_generichash_update(&state, low.data(), low.size());
  crypto_generichash_update(&state, high.data(), high.size());
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(secret.data()), secret.size());
  sodium_memzero(shared.data(), shared.size());
  return secret;
}

std::optional<wire::Secret> secret_from_digits(std::string_view digits) {
  wire::Secret secret{};
  std::size_t length = 0;
  if (sodium_hex2bin(reinterpret_cast<unsigned char*>(secret.data()), secret.size(), digits.data(),
                     digits.size(), nullptr, &length, nullptr) != 0 ||
      length != secret.size())
    return std::nullopt;
  return secret;
}

}  // namespace quadrille::fabric
