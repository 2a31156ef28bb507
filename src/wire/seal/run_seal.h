// SPDX-License-Identifier: BSD-3-Clause
// One tag over all that a run of packets carries, at a third of what a tag for each packet costs:
// AES-128-GMAC (NIST SP 800-38D) by OpenSSL's EVP. A number is used once under a key, which the
// nonce is made of; a second tag under the same one would give the key away.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/packet.h"
#include "wire/seal/authentication.h"

struct evp_cipher_ctx_st;

namespace quadrille::wire {

using RunTag = std::array<std::byte, run_tag_bytes>;

class RunSeal {
 public:
  // Throws std::bad_alloc.
  explicit RunSeal(const Key& key);

  // Of `parts`, one after the other. Throws std::bad_alloc.
  RunTag tag(Channel channel, std::uint64_t number,
             std::span<const std::span<const std::byte>> parts);
  bool is_tag(const RunTag& claimed, Channel channel, std::uint64_t number,
              std::span<const std::span<const std::byte>> parts);

 private:
  struct Deleter {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Deleter> context_;
};

}  // namespace quadrille::wire
