// SPDX-License-Identifier: BSD-3-Clause
// Whether what the kernel, or an interface, is to cut into datagrams arrives. Some drivers and
// tunnels lose or spoil such messages and say nothing, while single datagrams get through: then
// nearly all that leaves has left before, and so it would go on for ever. So for a while datagrams
// leave one by one; longer each time that this was not for nothing.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "wire/links/link.h"

namespace quadrille::wire {

class CuttingWatch {
 public:
  static constexpr std::uint64_t least_packets = 64;
  static constexpr Nanoseconds first_pause{10'000'000'000};
  static constexpr Nanoseconds longest_pause{640'000'000'000};

  // Has `link` cut or not, before datagrams leave by it. `counters` returns its owner's
  // EndpointCounters, which is asked now and then. Returns whether this is the first pause.
  template <typename Counters>
  bool watch(Link& link, Counters&& counters, Nanoseconds now) {
    if (link.sent() - sent_at_look_ < least_packets) return false;
    sent_at_look_ = link.sent();
    const bool had_paused = has_paused();
    const auto all = counters();
    link.set_cutting(look(all.data_sent, all.data_again, now));
    return has_paused() && !had_paused;
  }

  // Of packets so far: `sent`, each time that one was, and of these how often one had been before.
  // Returns whether messages may be cut from now on.
  bool look(std::uint64_t sent, std::uint64_t again, Nanoseconds now) {
    if (pauses_ && now >= until_) begin(sent, again);
    if (sent - sent_ < least_packets || pauses_) return !pauses_;
    const bool is_in_vain = 3 * (again - again_) >= 2 * (sent - sent_);
    begin(sent, again);
    if (!is_in_vain) return true;
    pauses_ = true;
    until_ = now + pause_;
    pause_ = std::min(pause_ * 2, longest_pause);
    return false;
  }
  // It has paused at least once.
  bool has_paused() const { return pause_ > first_pause; }

 private:
  void begin(std::uint64_t sent, std::uint64_t again) {
    sent_ = sent;
    again_ = again;
    pauses_ = false;
  }

  std::uint64_t sent_at_look_ = 0;  // by the link
  std::uint64_t sent_ = 0;
  std::uint64_t again_ = 0;
  Nanoseconds pause_ = first_pause;
  bool pauses_ = false;
  Nanoseconds until_{};
};

}  // namespace quadrille::wire
