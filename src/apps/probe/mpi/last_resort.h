// SPDX-License-Identifier: BSD-3-Clause
// Ends the process when a phase that waits inside the MPI library lasts too long: such a wait
// cannot be bounded from outside. The launcher then ends the job.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace quadrille::probe {

class LastResort {
 public:
  // After `patience_ns`, unless this is gone by then: `say`, then the process ends.
  LastResort(std::int64_t patience_ns, std::function<void()> say);
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watch_;
};

}  // namespace quadrille::probe
