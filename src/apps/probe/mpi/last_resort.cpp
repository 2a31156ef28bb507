// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/mpi/last_resort.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace quadrille::probe {

LastResort::LastResort(std::int64_t patience_ns, std::function<void()> say)
    : watch_([this, patience_ns, say = std::move(say)] {
        std::unique_lock lock(mutex_);
        const auto over = [this] { return is_over_; };
        if (over_.wait_for(lock, std::chrono::nanoseconds(patience_ns), over)) return;
        say();
        // Not exit(): its handlers would wait for the library that hangs.
        _exit(1);
      }) {}

LastResort::~LastResort() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  watch_.join();
}

}  // namespace quadrille::probe
