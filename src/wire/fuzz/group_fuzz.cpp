// SPDX-License-Identifier: BSD-3-Clause
// What goes to several at once, into an endpoint that expects and sends such messages: as
// endpoint_fuzz_test, endpoint 0 of three. Built and run by scripts/fuzz.sh.
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
constexpr std::array<EndpointId, 3> kMembers{0, 1, 2};

class Target {
 public:
  Target() : budget_(*board_, 0, kCeiling), endpoint_(settings(), budget_) {}

  static EndpointSettings settings() {
    EndpointSettings settings;
    settings.peers = 3;
    settings.limits = {.payload = kPayload, .unscheduled = 20, .most_open = 32, .group_ahead = 4};
    return settings;
  }

  // Each packet is two bytes, of what is done and of its length, and as many bytes.
  void feed(std::span<const std::uint8_t> data) {
    while (data.size() >= 2) {
      const std::uint8_t flags = data[0];
      const std::size_t length = std::min<std::size_t>(data[1], data.size() - 2);
      std::vector<std::byte> packet(length);
      std::ranges::transform(data.subspan(2, length), packet.begin(),
                             [](std::uint8_t value) { return std::byte{value}; });
      data = data.subspan(2 + length);
      now_ += Nanoseconds{1'000'000};
      const EndpointId from = (flags & 1) != 0 ? 1 : 2;
      const Group group{kMembers, (flags & 2) != 0 ? 3U : 1U};
      if ((flags & 4) != 0)
        endpoint_.receive_from_group(from, group, channel, into_[from - 1], ++handle_, now_);
      if ((flags & 8) != 0) endpoint_.send_to_group(group, channel, sent_, ++handle_, now_);
      if ((flags & 16) != 0) become_ours(packet, from);
      if ((flags & 32) != 0 && packet.size() >= overhead_bytes) seal_as(from, packet);
      endpoint_.on_datagram(packet, now_);
      drain();
    }
    if (budget_.own() > kCeiling + 1) std::abort();
  }

 private:
  static constexpr Channel channel = 1;

  static void become_ours(std::vector<std::byte>& packet, EndpointId from) {
    if (packet.size() < overhead_bytes) packet.resize(overhead_bytes + packet.size());
    packet[0] = (packet[0] & std::byte{0x0f}) | std::byte{0x40};
    packet[1] = packet[2] = packet[4] = packet[6] = packet[7] = packet[9] = packet[10] =
        std::byte{0};
    packet[3] = static_cast<std::byte>(from);
    packet[5] = static_cast<std::byte>(channel);
    packet[8] &= std::byte{0x1f};
  }
  static void seal_as(EndpointId from, std::vector<std::byte>& packet) {
    ParseError error = ParseError::none;
    const auto parsed = parse_packet(packet, error);
    if (!parsed) return;
    const Key key =
        parsed->header.is_to_group() ? key_of_group({}, from, kMembers) : key_between({}, from, 0);
    const auto number = std::to_integer<Sequence>(packet[8]);
    const bool reports = !parsed->header.is_to_group() && parsed->header.kind != PacketKind::ack;
    seal(key, parsed->header,
         {.number = number, .acknowledged = reports ? parsed->header.acknowledged : Sequence{0}},
         parsed->body, packet);
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
  std::array<std::array<std::byte, 5 * kPayload + 7>, 2> into_{};
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
