// SPDX-License-Identifier: BSD-3-Clause
// What endpoints have done, in order. Reading it drives them.
//
// Thread rule: any thread.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "base/waiting_mode.h"
#include "fabric/provider/waiting.h"

namespace quadrille::fabric {

class CompletionQueue : public fid_cq {
 public:
  static int open(fid_domain* domain, fi_cq_attr* attributes, fid_cq** made, void* context);

  struct Entry {
    fi_cq_tagged_entry entry{};
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    int error = 0;  // FI_E...
    std::size_t excess = 0;
  };
  void push(const Entry& entry);

  Stations& stations() { return stations_; }
  // Nothing is there and its descriptor will tell of what comes; else -FI_EAGAIN.
  int try_wait();

 private:
  friend struct CompletionQueueCalls;
  CompletionQueue(const fi_cq_attr& attributes, void* context);
  ~CompletionQueue();

  ssize_t take(void* entries, std::size_t count, fi_addr_t* sources);
  ssize_t take_error(fi_cq_err_entry& entry);
  bool is_empty() const;
  void clear_signal() const;
  void forget_signal();
  // Nothing has come for a while.
  void give_way() const;

  fi_cq_format format_;
  WaitingMode mode_;
  Stations stations_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::atomic<std::size_t> size_ = 0;  // of `entries_`, to look at without the mutex
  std::atomic<bool> interrupted_ = false;
  std::atomic<unsigned> in_vain_ = 0;  // reads, since something was there
  int event_descriptor_ = -1;          // where others may wait
};

}  // namespace quadrille::fabric
