// SPDX-License-Identifier: BSD-3-Clause
// Flows are counted by how they stand, so that an event costs no look at the others.
#include "wire/flow/flow_statistics.h"

namespace quadrille::wire {
namespace {

void recount(std::uint32_t& flows, bool was, bool is) {
  if (is && !was) ++flows;
  if (was && !is) --flows;
}

}  // namespace

void ChannelStatistics::stands(FlowStanding& flow, const FlowStanding& is, Nanoseconds now) {
  recount(unsent_, flow.unsent, is.unsent);
  recount(may_send_, flow.may_send, is.may_send);
  if (under_way_ == 0) quiet_since_ = now;
  recount(under_way_, flow.under_way, is.under_way);
  flow = is;
  const bool without_credit = unsent_ > 0 && may_send_ == 0;
  if (without_credit == without_credit_since_.has_value()) return;
  if (without_credit) {
    without_credit_since_ = now;
  } else {
    so_far_.credit_wait += now - *without_credit_since_;
    without_credit_since_.reset();
  }
}

void ChannelStatistics::moved(Nanoseconds now) {
  if (under_way_ > 0 && now - quiet_since_ >= stall) ++so_far_.stalls;
  quiet_since_ = now;
}

void ChannelStatistics::sent(std::uint64_t packets, std::size_t bytes, bool again) {
  so_far_.packets += packets;
  so_far_.bytes += bytes;
  if (again) so_far_.resent += packets;
}

}  // namespace quadrille::wire
