// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it spins while that is cheap, gives its core away where others want it,
// and sleeps for longer and longer, up to 1 ms, when nothing happens. Ranks may outnumber cores,
// also in ways that no count of ranks and cores shows (containers, emulated hosts), so the wish of
// others for the core is measured: a yield that takes long ran someone else. So is a limit of this
// process's group (Throttling).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "base/waiting_mode.h"

namespace quadrille {

// The core that a thread has, as the system shows it.
struct Core {
  static Core& of_this_thread();

  Nanoseconds (*now)() = nullptr;
  void (*yield)() = nullptr;
  // Whether the system stops this process for what it spins.
  bool (*is_throttled)(Nanoseconds now) = nullptr;
  std::uint32_t long_yields = 0;  // in a row, that ran others for long
  // Until then it is known to be somebody's who keeps it.
  Nanoseconds taken_until{};
};

class Waiting {
 public:
  explicit Waiting(WaitingMode mode = WaitingMode::automatic, Core& core = Core::of_this_thread())
      : core_(core), mode_(mode) {}

  // Called after a poll that found something.
  void progressed() {
    idle_polls_ = 0;
    sleep_ = {0};
  }
  // Called after a poll that found nothing; may yield or sleep.
  void idle();
  // As idle(), but whoever waits has a sleep of its own: `sleep(time)`, up to 1 ms.
  // `offers_at_once`: the core is offered to others after each poll but the first.
  template <typename Sleep>
  void idle(bool offers_at_once, Sleep&& sleep) {
    if (spin(offers_at_once)) return;
    sleep(sleep_);
    lengthen_sleep();
  }

 private:
  // Returns false where it is time to sleep.
  bool spin(bool offers_at_once);
  void lengthen_sleep();

  Core& core_;
  WaitingMode mode_;
  std::uint32_t idle_polls_ = 0;
  Nanoseconds idle_since_{};
  Nanoseconds sleep_{};
};

}  // namespace quadrille
