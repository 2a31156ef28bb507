// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/cost_message.h"

#include <algorithm>
#include "base/divide_up.h"

namespace quadrille {
namespace {

// Long messages take turns in no more pieces than this, so that they cost no more events.
constexpr std::uint64_t kMostPieces = 8;

}  // namespace

std::uint64_t Message::bytes_of(std::uint8_t piece) const {
  return std::min(piece_bytes, bytes - piece_bytes * piece);
}

NetworkCosts::ResourceIndex Message::resource(const NetworkCosts& costs, std::uint32_t hop) const {
  const auto& source = costs.hosts[from_host];
  const auto& target = costs.hosts[to_host];
  if (hop == 0) return costs.out(source, target);
  const auto between = costs.between(source, target);
  if (hop <= between.size()) return between[hop - 1];
  const bool has_end = &source != &target && hop == between.size() + 1;
  return has_end ? costs.in(source, target) : NetworkCosts::none;
}

Message message_between(const WholeCall& call, GlobalStep send, std::uint32_t element_bytes,
                        const NetworkCosts& costs) {
  const Step& step = call[send];
  const std::uint64_t payload = step.from.length * element_bytes;
  const Rank sender = call.rank_of(send);
  const auto& source = costs.host_of(sender);
  const auto& target = costs.host_of(step.peer);
  Message message{.send = send,
                  .receive = call.other_end(send),
                  .from_host = costs.host_of_rank[static_cast<std::size_t>(sender)],
                  .to_host = costs.host_of_rank[static_cast<std::size_t>(step.peer)],
                  .by_network = costs.by_network(source, target),
                  .bytes = costs.on_way(source, target, payload),
                  .asks_first = payload > costs.protocol.eager_bytes,
                  .latency_ns = costs.latency_ns(source, target)};
  const std::uint64_t frames = divide_up(message.bytes, costs.framing.frame());
  const std::uint64_t in_piece =
      std::max(costs.protocol.window_frames, divide_up(frames, kMostPieces));
  message.piece_bytes = in_piece * costs.framing.frame();
  message.pieces =
      static_cast<std::uint8_t>(std::max<std::uint64_t>(1, divide_up(frames, in_piece)));
  return message;
}

}  // namespace quadrille
