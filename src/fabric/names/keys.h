// SPDX-License-Identifier: BSD-3-Clause
// Who may speak: each endpoint has an X25519 key pair of its own, whose public half is in its name.
// What two of them share, mixed with the job's secret where there is one, is the wire's secret
// between them; so only these two can make each other's packets, and of those who know the job's
// secret each can show an endpoint that has not heard of it who it is.
#pragma once

#include <optional>
#include <span>

#include "fabric/names/endpoint_name.h"
#include "wire/seal/keys.h"

namespace quadrille::fabric {

class KeyPair {
 public:
  // REQUIRES: wire::start_cryptography() has returned true.
  KeyPair();
  KeyPair(const KeyPair&) = delete;
  KeyPair& operator=(const KeyPair&) = delete;
  ~KeyPair();

  const PublicKey& public_key() const { return public_; }
  // The same at both ends. Nothing where `peer` is no usable key.
  std::optional<wire::Secret> secret_with(const PublicKey& peer,
                                          const std::optional<wire::Secret>& job) const;

 private:
  PublicKey public_{};
  std::array<unsigned char, 32> secret_{};
};

// 32 hexadecimal digits; nothing where they are none.
std::optional<wire::Secret> secret_from_digits(std::string_view digits);

}  // namespace quadrille::fabric
