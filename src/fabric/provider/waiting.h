// SPDX-License-Identifier: BSD-3-Clause
// The stations that a queue or a counter hears of, and sleeping until something arrives at any.
//
// Waiting takes no memory, so that it fails by no want of it.
//
// Thread rule: binding and closing change them, which their caller keeps apart from all other
// calls.
#pragma once

#include <algorithm>
#include <vector>

#include "base/monotonic_clock.h"
#include "base/units.h"
#include "fabric/station.h"

namespace quadrille::fabric {

class Stations {
 public:
  void add(Station* station);
  void remove(Station* station);
  bool empty() const { return stations_.empty(); }

  void drive() const;
  void leave_to_service() const;
  // Drives and sleeps by turns until `has_come` returns true, or for `timeout_ms` (negative: for
  // ever). `descriptor` is readable when another thread has brought something; -1: none. Returns
  // whether it has come.
  template <typename HasCome>
  bool wait(int descriptor, int timeout_ms, HasCome&& has_come) const {
    if (has_come()) return true;
    const Watch watch(*this);
    const Nanoseconds begun = monotonic_now();
    for (;;) {
      drive();
      if (has_come()) return true;
      Nanoseconds most = longest_sleep;
      if (timeout_ms >= 0)
        most = std::min(most, begun + Nanoseconds{1'000'000} * timeout_ms - monotonic_now());
      if (most.value <= 0) return false;
      sleep(descriptor, most);
    }
  }

 private:
  // Where another thread may bring something that no descriptor tells of.
  static constexpr Nanoseconds longest_sleep{10'000'000};

  // While it lives, the stations' own threads leave what arrives to its owner.
  struct Watch {
    explicit Watch(const Stations& all);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    const Stations& stations;
  };
  void sleep(int descriptor, Nanoseconds most) const;

  std::vector<Station*> stations_;
};

}  // namespace quadrille::fabric
