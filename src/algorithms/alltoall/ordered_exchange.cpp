// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/ordered_exchange.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"
#include "schedule/builder.h"

namespace quadrille {
namespace {

bool comes_before(const ExchangeTurn& one, const ExchangeTurn& other) {
  return std::tie(one.position, one.group) < std::tie(other.position, other.group);
}

class ExchangeInOrder {
 public:
  ExchangeInOrder(const OrderedExchange& what, const Shape& shape)
      : what_(what),
        shape_(shape),
        pieces_(pieces_of(shape.count, elements_within(what.piece_bytes, shape.element_bytes))) {
    std::vector<std::uint64_t> positions(what.groups.size(), 0);
    for (const ExchangeTurn& source : what.sources) ++positions[source.group];
    for (std::size_t i = 0; i < positions.size(); ++i) {
      lanes_.emplace_back(builder_, what.groups[i], positions[i]);
    }
  }

  // Both ends list the messages of a pair by position, group and piece, requests before data: so
  // they match in order, and none waits for a later one.
  Schedule run(Rank rank) {
    auto source = what_.sources.begin();
    auto target = what_.targets.begin();
    while (source != what_.sources.end() || target != what_.targets.end()) {
      const bool has_source = target == what_.targets.end() ||
                              (source != what_.sources.end() && !comes_before(*target, *source));
      const ExchangeTurn& now = has_source ? *source : *target;
      const auto last = std::find_if(target, what_.targets.end(), [&](const ExchangeTurn& turn) {
        return comes_before(now, turn);
      });
      exchange(has_source ? &*source : nullptr, {target, last}, now);
      if (has_source) ++source;
      target = last;
    }
    std::uint32_t most_incoming = 0;
    for (const AskedLanes& group : lanes_) most_incoming += group.most_incoming();
    builder_.promise_most_incoming(most_incoming);
    builder_.copy(block_of(Buffer::send, rank, shape_.count),
                  block_of(Buffer::receive, rank, shape_.count));
    return builder_.build();
  }

 private:
  // The blocks of one position of one group.
  void exchange(const ExchangeTurn* source, std::span<const ExchangeTurn> targets,
                const ExchangeTurn& turn) {
    for (std::uint64_t piece = 0; piece < pieces_; ++piece) {
      const bool asked = place(turn, piece) >= what_.groups[turn.group].window;
      if (source != nullptr && asked) lane_of(*source).ask(source->partner);
      for (const ExchangeTurn& target : targets) {
        const StepIndex request =
            asked ? builder_.receive_ready(target.partner) : ScheduleBuilder::no_step;
        builder_.send(target.partner, part(Buffer::send, target.partner, piece), {request});
      }
      if (source != nullptr) {
        lane_of(*source).take(source->partner, part(Buffer::receive, source->partner, piece));
      }
    }
  }

  Region part(Buffer buffer, Rank partner, std::uint64_t piece) const {
    return block_of(buffer, partner, shape_.count).segment(piece, pieces_);
  }
  AskedReceipts& lane_of(const ExchangeTurn& source) {
    return lanes_[source.group].of(source.position);
  }
  // The message's place in its lane.
  std::uint64_t place(const ExchangeTurn& turn, std::uint64_t piece) const {
    return what_.groups[turn.group].place_in_lane(turn.position) * pieces_ + piece;
  }

  const OrderedExchange& what_;
  const Shape& shape_;
  const std::uint64_t pieces_;
  ScheduleBuilder builder_;
  std::vector<AskedLanes> lanes_;  // by group
};

}  // namespace

Schedule exchange_in_order(OrderedExchange exchange, const Shape& shape, Rank rank) {
  if (shape.count == 0) return {};
  std::stable_sort(exchange.sources.begin(), exchange.sources.end(), comes_before);
  std::stable_sort(exchange.targets.begin(), exchange.targets.end(), comes_before);
  return ExchangeInOrder(exchange, shape).run(rank);
}

}  // namespace quadrille
