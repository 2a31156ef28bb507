// SPDX-License-Identifier: BSD-3-Clause
// The key schedule is kept in the context; a tag only sets its nonce.
#include "wire/seal/run_seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <new>

#include "base/big_endian.h"
#include "wire/seal/octets.h"

namespace quadrille::wire {
namespace {

// OpenSSL fails where there is no memory, or where an administrator's settings forbid the cipher.
void check(int result) {
  if (result != 1) throw std::bad_alloc();
}

// Programs that use OpenSSL themselves are not to find it set up otherwise than they do it.
bool start_library() {
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
}

}  // namespace

void RunSeal::Deleter::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);
}

RunSeal::RunSeal(const Key& key) {
  static const bool started = start_library();
  if (!started) throw std::bad_alloc();
  context_.reset(EVP_CIPHER_CTX_new());
  if (context_ == nullptr) throw std::bad_alloc();
  check(EVP_EncryptInit_ex(context_.get(), EVP_aes_128_gcm(), nullptr, octets_of(key.data()),
                           nullptr));
}

RunTag RunSeal::tag(Channel channel, std::uint64_t number,
                    std::span<const std::span<const std::byte>> parts) {
  std::array<std::byte, 12> nonce{};
  put_big_endian(std::span(nonce).first(2), channel);
  put_big_endian(std::span(nonce).last(8), number);
  EVP_CIPHER_CTX* const context = context_.get();
  check(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, octets_of(nonce.data())));
  int length = 0;
  for (const auto part : parts) {
    if (part.empty()) continue;
    check(EVP_EncryptUpdate(context, nullptr, &length, octets_of(part.data()),
                            static_cast<int>(part.size())));
  }
  unsigned char none = 0;
  check(EVP_EncryptFinal_ex(context, &none, &length));
  RunTag tag{};
  check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()),
                            tag.data()));
  return tag;
}

bool RunSeal::is_tag(const RunTag& claimed, Channel channel, std::uint64_t number,
                     std::span<const std::span<const std::byte>> parts) {
  const RunTag right = tag(channel, number, parts);
  return CRYPTO_memcmp(right.data(), claimed.data(), right.size()) == 0;
}

}  // namespace quadrille::wire
