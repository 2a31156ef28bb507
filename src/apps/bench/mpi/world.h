// SPDX-License-Identifier: BSD-3-Clause
// What is known of the job as a whole: its machines, its clocks, a communicator for each number of
// ranks.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/machine.h"
#include "apps/bench/mpi/rendezvous.h"
#include "apps/bench/options.h"
#include "base/shared_clock.h"

namespace quadrille::bench {

// The first `ranks` ranks: what the benchmark calls on, and where they meet. Null where this rank
// is not among them.
struct Part {
  int ranks = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
  std::unique_ptr<Rendezvous> rendezvous;
};

class World {
 public:
  // Collective. Communicators are made by MPI_Comm_split, as a program would.
  explicit World(const std::vector<int>& parts);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rendezvous_.rank(); }
  int ranks() const { return rendezvous_.ranks(); }
  const std::vector<Machine>& machines() const { return machines_; }  // [ranks], on every rank
  const Part& part(int ranks) const { return parts_.at(ranks); }
  const SharedClock& clock() const { return clock_; }

  // Measures the clocks again. Collective.
  void align_clocks(int exchanges);
  // Largest of all ranks; rank 0 alone knows.
  std::int64_t clock_uncertainty_ns() const { return uncertainty_ns_; }
  double clock_drift_ppm() const { return drift_ppm_; }
  // Whether spinning ranks would get a core each.
  bool cores_suffice_for_spinning() const;
  // All ranks meet, sleeping.
  void gather_all() {
    rendezvous_.agree({}, [](const Report&) { return 0; });
  }

 private:
  Rendezvous rendezvous_;
  std::vector<Machine> machines_;
  std::map<int, Part> parts_;
  SharedClock clock_;
  std::int64_t uncertainty_ns_ = 0;
  double drift_ppm_ = 0;
};

}  // namespace quadrille::bench
