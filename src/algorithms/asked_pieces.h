// SPDX-License-Identifier: BSD-3-Clause
// How a receiver that asks for its data keeps at most `window` messages under way to it: it lists
// all messages it will get, those that come unscheduled first; for each other one it asks when the
// message `window` places before it in the list is complete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "schedule/builder.h"
#include "schedule/shape.h"

namespace quadrille {

struct PiecePacing {
  std::uint64_t window = 1;          // messages
  std::uint64_t piece_elements = 1;  // the most in one message

  // REQUIRES: the algorithm has parameters `window` and `piece_bytes`.
  PiecePacing(const Shape& shape, const Parameters& parameters)
      : window(at_least_one(parameters["window"])),
        piece_elements(elements_within(parameters["piece_bytes"], shape.element_bytes)) {}

  std::uint64_t pieces(std::uint64_t length) const { return pieces_of(length, piece_elements); }
};

// How many messages the sender at `position` of those that a receiver takes from may send
// unscheduled where they do not know each other's lengths, so that all together are `window`.
inline std::uint64_t unscheduled_share(std::uint64_t position, std::uint64_t senders,
                                       std::uint64_t window) {
  return window / senders + (position < window % senders ? 1 : 0);
}

// The receiver's side. REQUIRES: unscheduled messages are listed before all others.
class AskedReceipts {
 public:
  AskedReceipts(ScheduleBuilder& builder, std::uint64_t window)
      : builder_(builder), window_(window) {}

  // Asks for the next message; to be followed by take(). Unscheduled messages are only taken.
  void ask(Rank source) {
    const std::size_t place = receipts_.size();
    const StepIndex before =
        place < window_ ? ScheduleBuilder::no_step : receipts_[place - window_];
    builder_.send_ready(source, {before});
  }
  void take(Rank source, const Region& into) {
    receipts_.push_back(builder_.receive(source, into));
  }
  std::uint32_t most_incoming() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(window_, receipts_.size()));
  }

 private:
  ScheduleBuilder& builder_;
  std::uint64_t window_;
  std::vector<StepIndex> receipts_;
};

}  // namespace quadrille
