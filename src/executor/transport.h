// SPDX-License-Identifier: BSD-3-Clause
// What the executor needs of a transport: messages between ranks of one communicator, matched in
// order between each pair, started without blocking and reported when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "base/units.h"
#include "schedule/schedule.h"

namespace quadrille {

// Who moves the data of a step.
enum class Carrier : std::uint8_t { own_memory, mpi_library, wire, host_memory };

// REQUIRES: used by one thread at a time. The buffers given to start_* stay valid until their step
// is reported.
class Transport {
 public:
  virtual ~Transport() = default;

  // Starts the message of `step`: `length` elements at `address`. On failure nothing is under way
  // for that step.
  virtual Result<bool> start_send(StepIndex step, Rank peer, const void* address,
                                  std::uint64_t length) = 0;
  virtual Result<bool> start_receive(StepIndex step, Rank peer, void* address,
                                     std::uint64_t length) = 0;

  // Group steps, on the ranks that the transport was begun with. `root` counts in that list; the
  // root reads `data` and all others have it written. Of a reduction all read `from` and the root
  // has `into` written. Every rank starts them in the same order.
  virtual Result<bool> start_group_bcast(StepIndex step, Rank root, void* data,
                                         std::uint64_t length) = 0;
  virtual Result<bool> start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                          std::uint64_t length) = 0;

  // Drives progress without blocking and writes the steps completed since into `completed`; returns
  // how many. REQUIRES: `completed` has room for every step under way.
  virtual Result<std::size_t> poll(std::span<StepIndex> completed) = 0;
  // REQUIRES: a step with a peer, in a call that has begun.
  virtual Carrier carrier_of(const Step& step) const = 0;
  // Whether the last poll moved data, though it may have completed no step.
  virtual bool moved() const { return false; }
  // Lets whatever else is pending below go on, though nothing of it is awaited here.
  virtual void progress() {}
  // Sleeps for `time`, or until there is something to poll for where that can end a sleep.
  virtual void sleep(Nanoseconds time);
  // Whether who waits offers its core after each look: what is looked for stays there to be found,
  // and may come from ranks that need the core.
  virtual bool offers_core_at_once() const { return false; }
};

}  // namespace quadrille
