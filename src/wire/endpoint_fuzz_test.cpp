// SPDX-License-Identifier: BSD-3-Clause
// Bytes of any kind into an endpoint, unsealed as strangers send them and sealed as only a rank
// gone mad could: it touches no memory that is not its own, keeps its credits' books, and other
// channels work on. The entry point is libFuzzer's; without it the bytes are drawn from a fixed
// seed.
//
//   clang++ -std=c++20 -g -fsanitize=fuzzer,address -DQUADRILLE_FUZZ -Isrc src/wire/*.cpp -lsodium
//   (without the tests)
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "wire/endpoint.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kPayload = 64;
constexpr std::uint32_t kCeiling = 8;

// A packet whose body is in clear, as endpoint 1 would send it.
void seal_again(const Key& key, const Header& header, std::uint64_t number,
                std::span<std::byte> packet) {
  const bool reports = header.kind == PacketKind::data || header.kind == PacketKind::repeated_data;
  const WholeNumbers numbers{.number = number,
                             .acknowledged = reports ? header.acknowledged : Sequence{0}};
  seal(key, header, numbers, packet.subspan(header_bytes, packet.size() - overhead_bytes), packet);
}

// Endpoint 0, which expects and sends something on the channels 0 to 3, as the bytes' first says.
class Target {
 public:
  Target() : budget_(*board_, 0, kCeiling), endpoint_(settings(), budget_) {}

  static EndpointSettings settings() {
    EndpointSettings settings;
    settings.peers = 2;
    settings.limits = {.payload = kPayload, .unscheduled = 20, .most_open = 32};
    return settings;
  }

  // Each packet is a byte of flags, a byte of length, and as many bytes.
  void feed(std::span<const std::uint8_t> data) {
    const Key key = key_between({}, 1, 0);
    while (data.size() >= 2) {
      const std::uint8_t flags = data[0];
      const std::size_t length = std::min<std::size_t>(data[1], data.size() - 2);
      std::vector<std::byte> packet(length);
      std::ranges::transform(data.subspan(2, length), packet.begin(),
                             [](std::uint8_t value) { return std::byte{value}; });
      data = data.subspan(2 + length);
      now_ += Nanoseconds{1'000'000};
      const auto channel = static_cast<Channel>(flags >> 6);
      if ((flags & 1) != 0) endpoint_.receive(1, channel, into_[channel], ++handle_, now_);
      if ((flags & 2) != 0) endpoint_.send(1, channel, sent_, ++handle_, now_);
      if ((flags & 4) != 0) become_ours(packet, channel);
      const Sequence whole =
          packet.size() < overhead_bytes
              ? 0
              : static_cast<Sequence>(flags >> 4 & 3) << sequence_bits | number(packet);
      if ((flags & 8) != 0 && packet.size() >= overhead_bytes) {
        ParseError error = ParseError::none;
        const auto parsed = parse_packet(packet, error);
        if (parsed) seal_again(key, parsed->header, whole, packet);
      }
      endpoint_.on_datagram(packet, now_);
      drain();
    }
    if (budget_.own() > kCeiling + 1) std::abort();
  }

 private:
  static Sequence number(const std::vector<std::byte>& packet) {
    return std::to_integer<Sequence>(packet[6]) << 16 | std::to_integer<Sequence>(packet[7]) << 8 |
           std::to_integer<Sequence>(packet[8]);
  }
  // A header that passes, so that what is behind it is looked at.
  static void become_ours(std::vector<std::byte>& packet, Channel channel) {
    if (packet.size() < overhead_bytes) packet.resize(overhead_bytes + packet.size());
    packet[0] = (packet[0] & std::byte{0x0f}) | std::byte{0x40};
    packet[1] = packet[2] = std::byte{0};
    packet[3] = std::byte{1};
    packet[4] = std::byte{0};
    packet[5] = static_cast<std::byte>(channel);
    packet[6] = packet[7] = packet[9] = packet[10] = std::byte{0};
    packet[8] &= std::byte{0x1f};
  }
  void drain() {
    std::vector<std::byte> room(endpoint_.largest_datagram());
    for (int i = 0; i < 64 && endpoint_.next_datagram(room, now_); ++i) {
    }
    while (endpoint_.next_completion()) {
    }
  }

  std::unique_ptr<CreditBoard> board_ = std::make_unique<CreditBoard>();
  CreditBudget budget_;
  Endpoint endpoint_;
  std::array<std::array<std::byte, 5 * kPayload + 7>, 4> into_{};
  std::array<std::byte, 3 * kPayload + 1> sent_{};
  Handle handle_ = 0;
  Nanoseconds now_{};
};

}  // namespace
}  // namespace quadrille::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool started = quadrille::wire::start_cryptography();
  if (!started) std::abort();
  quadrille::wire::Target().feed({data, size});
  return 0;
}

#ifndef QUADRILLE_FUZZ

#include <gtest/gtest.h>

#include <random>

TEST(EndpointFuzz, bytes_of_any_kind_do_no_harm) {
  std::mt19937 chance(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> bytes(chance() % 2000);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(chance());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

#endif
