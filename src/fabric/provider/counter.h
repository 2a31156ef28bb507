// SPDX-License-Identifier: BSD-3-Clause
// How many operations have succeeded and failed. Reading it drives the endpoints.
//
// Thread rule: any thread.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include <atomic>
#include <cstdint>

#include "fabric/provider/waiting.h"

namespace quadrille::fabric {

class Counter : public fid_cntr {
 public:
  static int open(fid_domain* domain, fi_cntr_attr* attributes, fid_cntr** made, void* context);

  void count(bool success) { ++(success ? successes_ : errors_); }
  Stations& stations() { return stations_; }

 private:
  friend struct CounterCalls;

  Stations stations_;
  std::atomic<std::uint64_t> successes_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
};

}  // namespace quadrille::fabric
