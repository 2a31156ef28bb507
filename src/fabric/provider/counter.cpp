// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/counter.h"

#include "fabric/provider/objects.h"

namespace quadrille::fabric {

struct CounterCalls {
  static Counter& of(fid_cntr* counter) { return *static_cast<Counter*>(counter); }

  static uint64_t read(fid_cntr* counter) {
    of(counter).stations_.drive();
    return of(counter).successes_;
  }
  static uint64_t read_errors(fid_cntr* counter) { return of(counter).errors_; }
  static int add(fid_cntr* counter, uint64_t value) {
    of(counter).successes_ += value;
    return 0;
  }
  static int set(fid_cntr* counter, uint64_t value) {
    of(counter).successes_ = value;
    return 0;
  }
  static int add_errors(fid_cntr* counter, uint64_t value) {
    of(counter).errors_ += value;
    return 0;
  }
  static int set_errors(fid_cntr* counter, uint64_t value) {
    of(counter).errors_ = value;
    return 0;
  }
  static int wait(fid_cntr* counter, uint64_t threshold, int timeout_ms) {
    Counter& self = of(counter);
    const std::uint64_t errors = self.errors_;
    self.stations_.wait(-1, timeout_ms,
                        [&] { return self.successes_ >= threshold || self.errors_ != errors; });
    if (self.errors_ != errors) return -FI_EAVAIL;
    return self.successes_ >= threshold ? 0 : -FI_ETIMEDOUT;
  }
  static int close(fid* fid) {
    auto* self = object_of<Counter, fid_cntr>(fid);
    if (!self->stations_.empty()) return -FI_EBUSY;
    delete self;
    return 0;
  }
};

int Counter::open(fid_domain* /*domain*/, fi_cntr_attr* attributes, fid_cntr** made,
                  void* context) {
  // Without attributes it has the default ones.
  const fi_wait_obj wait = attributes != nullptr ? attributes->wait_obj : FI_WAIT_NONE;
  if (wait == FI_WAIT_SET || wait == FI_WAIT_FD || wait == FI_WAIT_MUTEX_COND) return -FI_ENOSYS;
  static fi_ops plain = plain_ops<CounterCalls::close>();
  static fi_ops_cntr calls = [] {
    fi_ops_cntr ops{};
    ops.size = sizeof ops;
    ops.read = guarded<CounterCalls::read>;
    ops.readerr = guarded<CounterCalls::read_errors>;
    ops.add = guarded<CounterCalls::add>;
    ops.set = guarded<CounterCalls::set>;
    ops.wait = guarded<CounterCalls::wait>;
    ops.adderr = guarded<CounterCalls::add_errors>;
    ops.seterr = guarded<CounterCalls::set_errors>;
    return ops;
  }();
  auto* counter = new Counter();
  counter->fid = {FI_CLASS_CNTR, context, &plain};
  counter->ops = &calls;
  *made = counter;
  return 0;
}

}  // namespace quadrille::fabric
