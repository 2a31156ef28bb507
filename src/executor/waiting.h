// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it spins, offers its core to others after each poll, and sleeps for longer and
// longer, up to 1 ms, when nothing happens. Ranks may outnumber cores, also in ways that no count of
// ranks and cores shows (containers, emulated hosts), so the wish of others for the core is
// measured: a yield that takes long ran someone else. Where that one kept the core, or where a
// limit of this process's group has stopped it (Throttling), a rank sleeps at once.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "base/waiting_mode.h"

namespace quadrille {

class Waiting {
 public:
  explicit Waiting(WaitingMode mode = WaitingMode::automatic) : mode_(mode) {}

  // Called after a poll that found something.
  void progressed() {
    idle_polls_ = 0;
    sleep_ = {0};
  }
  // Called after a poll that found nothing; may yield or sleep.
  void idle();
  // As idle(), but whoever waits has a sleep of its own: `sleep(time)`, up to 1 ms.
  template <typename Sleep>
  void idle(Sleep&& sleep) {
    if (spin()) return;
    sleep(sleep_);
    lengthen_sleep();
  }

 private:
  // Returns false where it is time to sleep.
  bool spin();
  void lengthen_sleep();

  WaitingMode mode_;
  std::uint32_t idle_polls_ = 0;
  bool is_taken_ = false;  // the core, by somebody who keeps it, when it was last looked
  std::uint32_t waits_while_taken_ = 0;
  Nanoseconds idle_since_{};
  Nanoseconds sleep_{};
};

}  // namespace quadrille
