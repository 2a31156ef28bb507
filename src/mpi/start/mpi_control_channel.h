// SPDX-License-Identifier: BSD-3-Clause
// The control channel between measuring hosts over MPI's point-to-point messages. Its waits sleep
// between looks, since a host's processor belongs to what is measured, and none lasts for ever.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>

#include "probe/measure/control_channel.h"

namespace quadrille {

// An agent looks for orders at least every half a millisecond, or less often when hosts share
// cores: a look costs about 20 us, and all together shall cost a tenth of the cores.
std::int64_t longest_sleep_ns(std::uint32_t hosts_on_machine);

class MpiControlChannel final : public probe::ControlChannel {
 public:
  struct Options {
    // Between two looks of a wait that has lasted for a while.
    std::int64_t longest_sleep_ns = 500'000;
    // Ends a wait early, though not at once; an error of the kind peer_lost says so.
    std::function<bool()> interrupted = [] { return false; };
  };

  // One rank a host, in the hosts' order; stays the caller's. Its errors must return.
  MpiControlChannel(MPI_Comm agents, Options options);
  // Messages that have not left are given up.
  ~MpiControlChannel() override;
  MpiControlChannel(const MpiControlChannel&) = delete;
  MpiControlChannel& operator=(const MpiControlChannel&) = delete;

  probe::HostIndex hosts() const override { return hosts_; }
  probe::HostIndex own_host() const override { return own_host_; }
  Result<bool> send(probe::HostIndex to, std::string message) override;
  Result<bool> flush(std::int64_t patience_ns) override;
  Result<std::string> receive(probe::HostIndex from, std::int64_t patience_ns) override;

 private:
  struct Outgoing {
    Outgoing(std::string text, MPI_Request none) : message(std::move(text)), request(none) {}
    std::string message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  enum class Waited : std::uint8_t { done, out_of_time, interrupted, failed };

  // Looks with `look` until it says true, with growing pauses.
  Waited wait(std::int64_t patience_ns, const std::function<bool()>& look);
  void forget_what_has_left();
  bool failed(int code);
  Error broken(const std::string& what) const;
  Error silent(Waited waited, std::int64_t patience_ns) const;

  MPI_Comm agents_;
  Options options_;
  probe::HostIndex hosts_ = 0;
  probe::HostIndex own_host_ = 0;
  std::list<Outgoing> outgoing_;      // nothing in it moves while MPI reads it
  std::list<std::string> abandoned_;  // MPI may still write into them
  int error_ = MPI_SUCCESS;
};

}  // namespace quadrille
