// SPDX-License-Identifier: BSD-3-Clause
// Processor time of sealing a packet and opening it again, by each cipher.
#include <benchmark/benchmark.h>

#include <vector>

#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

void seal_and_open(benchmark::State& state) {
  if (!start_cryptography()) state.SkipWithError("no cryptography");
  const Cipher chosen = sealed_by();
  Header header;
  header.cipher = static_cast<Cipher>(state.range(0));
  seal_by(header.cipher);
  const Key key = key_between({}, 1, 2);
  const std::vector<std::byte> body(static_cast<std::size_t>(state.range(1)));
  std::vector<std::byte> packet(overhead_bytes + body.size());
  std::uint64_t number = 0;
  for (auto _ : state) {
    seal(key, header, {.number = ++number}, body, packet);
    if (!unseal(key, header, {.number = number}, packet, packet.data() + header_bytes))
      state.SkipWithError("forged");
  }
  seal_by(chosen);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(1));
}

// Ciphers as their packets name them: AEGIS-128L, AEGIS-128X4, XChaCha20-Poly1305.
BENCHMARK(seal_and_open)->ArgNames({"cipher", "bytes"})->ArgsProduct({{4, 5, 6}, {64, 1440, 8940}});

}  // namespace
}  // namespace quadrille::wire
