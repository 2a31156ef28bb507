// SPDX-License-Identifier: BSD-3-Clause
// The stations that a queue or a counter hears of, and sleeping until something arrives at any.
//
// Thread rule: binding and closing change them, which their caller keeps apart from all other
// calls.
#pragma once

#include <functional>
#include <vector>

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
  bool wait(int descriptor, int timeout_ms, const std::function<bool()>& has_come) const;

 private:
  void sleep(int descriptor, Nanoseconds most) const;

  std::vector<Station*> stations_;
};

}  // namespace quadrille::fabric
