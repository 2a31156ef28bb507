// SPDX-License-Identifier: BSD-3-Clause
#include "probe/counted_network.h"

#include <algorithm>
#include <utility>

namespace quadrille::probe {
namespace {

constexpr double kStep =
    0.1;  // of what is left of a phase, each round: nobody knows how many there will be
constexpr std::uint32_t kPayloadBytes = kFullFrameBytes - kFrameOverheadBytes;

std::uint64_t message_bytes(std::uint64_t payload) {
  const std::uint64_t frames =
      std::max<std::uint64_t>((payload + kPayloadBytes - 1) / kPayloadBytes, 1);
  return payload + frames * kFrameOverheadBytes;
}

}  // namespace

CountedNetwork::CountedNetwork(Network& network, Progress progress)
    : network_(network), progress_(std::move(progress)), sent_of_host_(network.hosts().size()) {}

void CountedNetwork::reached(double share, double next_share) {
  share_ = share;
  next_share_ = next_share;
}

Result<RoundResult> CountedNetwork::perform(const Round& round) {
  if (progress_) progress_(round.purpose, share_);
  share_ += kStep * (next_share_ - share_);
  ++rounds_;
  const auto sends = [&](HostIndex host, std::uint64_t bytes) {
    sent_bytes_ += bytes;
    sent_of_host_[host] += bytes;
  };
  for (const Stream& stream : round.streams)
    sends(stream.from, std::uint64_t{stream.count} * stream.frame_bytes);
  for (const Fan& fan : round.fans) sends(fan.from, fan.to.size() * fan.passes * kLightFrameBytes);
  for (const MulticastStream& stream : round.multicasts)
    sends(stream.from, std::uint64_t{stream.count} * stream.frame_bytes);
  for (const Exchange& exchange : round.exchanges) {
    sends(exchange.from, exchange.count * message_bytes(exchange.there_bytes));
    sends(exchange.to, exchange.count * message_bytes(exchange.back_bytes));
  }
  return network_.perform(round);
}

std::uint64_t CountedNetwork::most_sent_bytes() const {
  return sent_of_host_.empty() ? 0 : *std::max_element(sent_of_host_.begin(), sent_of_host_.end());
}

}  // namespace quadrille::probe
