// SPDX-License-Identifier: BSD-3-Clause
// AEGIS (draft-irtf-cfrg-aegis-aead; H. Wu, B. Preneel, SAC 2013) by libaegis: AEGIS-128L takes
// processors with AES instructions, AEGIS-128X4 those that do four blocks at once. libsodium's
// XChaCha20-Poly1305 for those without.
#include "wire/seal/packet_seal.h"

#include <aegis.h>
#include <aegis128l.h>
#include <aegis128x4.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "base/big_endian.h"
#include "base/monotonic_clock.h"
#include "wire/seal/octets.h"

namespace quadrille::wire {
namespace {

using Nonce = std::array<std::byte, 16>;
using Octets = unsigned char;

// One packet's body, as the libraries take it: it goes from `from` to `to`.
struct Sealing {
  std::span<const std::byte> header;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t length = 0;
  const Nonce& nonce;
};

static_assert(aegis128l_NPUBBYTES == std::tuple_size_v<Nonce>);
static_assert(aegis128x4_NPUBBYTES == std::tuple_size_v<Nonce>);
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == tag_bytes);

// The keys of the ciphers, one behind the other.
constexpr std::size_t key_128l = 0;
constexpr std::size_t key_128x4 = aegis128l_KEYBYTES;
constexpr std::size_t key_xchacha20 = key_128x4 + aegis128x4_KEYBYTES;
static_assert(key_xchacha20 + crypto_aead_xchacha20poly1305_ietf_KEYBYTES ==
              std::tuple_size_v<Key>);

using WideNonce = std::array<std::byte, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES>;
WideNonce wide(const Nonce& nonce) {
  WideNonce made{};
  std::ranges::copy(nonce, made.begin());
  return made;
}

void encrypt(Cipher cipher, const Key& key, const Sealing& what, std::byte* tag_goes_to) {
  Octets* const to = octets_of(what.to);
  Octets* const tag = octets_of(tag_goes_to);
  const Octets* const from = octets_of(what.from);
  const Octets* const header = octets_of(what.header.data());
  const Octets* const nonce = octets_of(what.nonce.data());
  switch (cipher) {
    case Cipher::aegis_128l:
      aegis128l_encrypt_detached(to, tag, tag_bytes, from, what.length, header, header_bytes, nonce,
                                 octets_of(&key[key_128l]));
      break;
    case Cipher::aegis_128x4:
      aegis128x4_encrypt_detached(to, tag, tag_bytes, from, what.length, header, header_bytes,
                                  nonce, octets_of(&key[key_128x4]));
      break;
    case Cipher::xchacha20_poly1305:
      crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
          to, tag, nullptr, from, what.length, header, header_bytes, nullptr,
          octets_of(wide(what.nonce).data()), octets_of(&key[key_xchacha20]));
      break;
  }
}

bool decrypt(Cipher cipher, const Key& key, const Sealing& what, const std::byte* claimed) {
  Octets* const to = octets_of(what.to);
  const Octets* const tag = octets_of(claimed);
  const Octets* const from = octets_of(what.from);
  const Octets* const header = octets_of(what.header.data());
  const Octets* const nonce = octets_of(what.nonce.data());
  switch (cipher) {
    case Cipher::aegis_128l:
      return aegis128l_decrypt_detached(to, from, what.length, tag, tag_bytes, header, header_bytes,
                                        nonce, octets_of(&key[key_128l])) == 0;
    case Cipher::aegis_128x4:
      return aegis128x4_decrypt_detached(to, from, what.length, tag, tag_bytes, header,
                                         header_bytes, nonce, octets_of(&key[key_128x4])) == 0;
    case Cipher::xchacha20_poly1305:
      return crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                 to, nullptr, from, what.length, tag, header, header_bytes,
                 octets_of(wide(what.nonce).data()), octets_of(&key[key_xchacha20])) == 0;
  }
  return false;
}

//   offset  width  in the nonce
//   0       1      the packet's first byte: version and cipher, kind, last or not
//   1       2      channel
//   3       6      whole number, lower 48 bits
//   9       5      of data to one endpoint: what it acknowledges, lower 40 bits of the whole number
//   14      2      packets before this number may be sent, as in the packet
// `header`: as it is in the packet.
Nonce nonce_of(std::span<const std::byte> header, const WholeNumbers& numbers) {
  const std::uint64_t first = get_word(header.data());
  const std::uint64_t second = get_word(header.data() + 8);
  const std::uint64_t number = numbers.number & 0xffffffffffffU;
  Nonce nonce;
  put_word(nonce.data(), (first >> 56U) << 56U | (first >> 16U & 0xffffU) << 40U | number >> 8U);
  put_word(nonce.data() + 8,
           number << 56U | (numbers.acknowledged & 0xffffffffffU) << 16U | (second & 0xffffU));
  return nonce;
}

std::atomic<Cipher> own_cipher{Cipher::aegis_128l};

// Of sealing a full packet, at its best.
Nanoseconds time_to_seal() {
  constexpr int rounds = 8;
  const std::vector<std::byte> body(1440);
  std::vector<std::byte> packet(overhead_bytes + body.size());
  const Key key{};
  std::optional<Nanoseconds> least;
  for (int round = 0; round < rounds; ++round) {
    const Nanoseconds began = monotonic_now();
    seal(key, {}, {}, body, packet);
    const Nanoseconds took = monotonic_now() - began;
    least = least ? std::min(*least, took) : took;
  }
  return *least;
}

}  // namespace

bool start_ciphers() {
  if (aegis_init() != 0) return false;
  Cipher fastest = Cipher::aegis_128l;
  std::optional<Nanoseconds> least;
  for (const Cipher cipher :
       {Cipher::aegis_128l, Cipher::aegis_128x4, Cipher::xchacha20_poly1305}) {
    seal_by(cipher);
    const Nanoseconds time = time_to_seal();
    if (least && *least <= time) continue;
    least = time;
    fastest = cipher;
  }
  seal_by(fastest);
  return true;
}

void seal_by(Cipher cipher) { own_cipher.store(cipher, std::memory_order_relaxed); }
Cipher sealed_by() { return own_cipher.load(std::memory_order_relaxed); }

std::size_t seal(const Key& key, const Header& header, const WholeNumbers& numbers,
                 std::span<const std::byte> body, std::span<std::byte> room) {
  Header sealed = header;
  sealed.cipher = sealed_by();
  std::byte* const to = write_header(sealed, room).data();
  const auto written = std::span<const std::byte>(room).first(header_bytes);
  const Nonce nonce = nonce_of(written, numbers);
  encrypt(sealed.cipher, key,
          {.header = written, .from = body.data(), .to = to, .length = body.size(), .nonce = nonce},
          to + body.size());
  return overhead_bytes + body.size();
}

bool unseal(const Key& key, const Header& header, const WholeNumbers& numbers,
            std::span<const std::byte> packet, std::byte* to) {
  const std::byte* const body = packet.data() + header_bytes;
  const std::size_t length = packet.size() - overhead_bytes;
  const auto written = packet.first(header_bytes);
  const Nonce nonce = nonce_of(written, numbers);
  return decrypt(header.cipher, key,
                 {.header = written, .from = body, .to = to, .length = length, .nonce = nonce},
                 body + length);
}

}  // namespace quadrille::wire
