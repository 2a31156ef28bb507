// SPDX-License-Identifier: BSD-3-Clause
// When an endpoint reports what has arrived: with data, later, or by an ACK at once.
#include "wire/endpoint.h"
#include "wire/flow/relist.h"

namespace quadrille::wire {
namespace {

// Of messages that may come several are one for their program, which mostly answers: one report
// for all, with the answer where it comes so soon.
constexpr Nanoseconds report_open_after{50'000};

}  // namespace

// Grants report arrivals too; what is missing only an ACK can tell.
void Endpoint::note_arrived(Flow& flow, bool last, bool unscheduled, Nanoseconds now) {
  if (flow.in.has_gap()) return owe_ack(flow);
  if (!last && flow.in.outstanding() > 0) return;
  // Who has more than may leave so announces it, and its grant tells what has arrived.
  const bool is_eager = flow.key.second == settings_.eager;
  if (is_eager || (!unscheduled && flow.in.is_open())) {
    tell_later(flow, now + report_open_after);
  } else {
    tell(flow);
  }
}

// Whether the next packet of that length may come unscheduled though the sender knows of none of
// those that have come since the last report, and no more than half of what may come so has: a
// report reaches the sender before it has to stop.
bool Endpoint::leaves_room(const Flow& flow, std::size_t payload) const {
  const FlowLimits& limits = settings_.limits;
  const std::size_t with_next = flow.untold_bytes + payload;
  return with_next <= limits.unscheduled &&
         with_next + flow.untold_bytes <=
             limits.unscheduled + 2 * (payload + packet_framing_bytes) &&
         2 * (flow.in.acknowledged() - flow.told) <= limits.most_unscheduled;
}

// Whether the next two may leave though the sender knows of none of those that have come since the
// last report: one may be on its way while that of the other travels.
bool Endpoint::leaves_room_to_group(const Flow& flow) {
  return flow.in.acknowledged() - flow.told + 2 <= flow.ahead;
}

void Endpoint::tell_later(Flow& flow, Nanoseconds time) {
  relist<Nanoseconds>(telling_, flow, flow.telling_at, time);
}

void Endpoint::tell(Flow& flow) {
  if (flow.may_send_alone()) {
    flow.told_by_data = true;
  } else {
    owe_ack(flow);
  }
}

void Endpoint::has_told(Flow& flow) {
  flow.told_by_data = false;
  flow.told = flow.in.acknowledged();
  flow.untold_bytes = 0;
  relist<Nanoseconds>(telling_, flow, flow.telling_at, std::nullopt);
}

void Endpoint::owe_ack(Flow& flow) {
  if (flow.ack_owed) return;
  flow.ack_owed = true;
  owed_.push_back(&flow);
}

}  // namespace quadrille::wire
