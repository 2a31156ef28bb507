// SPDX-License-Identifier: BSD-3-Clause
// Verdicts of trials in the cache: what earlier jobs on the same hosts have found, and what this
// one has when it ends. Rank 0's file counts.
#pragma once

#include <string>
#include <vector>

#include "base/settings.h"
#include "mpi/start/start_probe.h"
#include "planner/verdicts.h"

namespace quadrille {

class JobVerdicts {
 public:
  // Reads them; all ranks come to the same. Without `has_trials`, or with QUADRILLE_LEARN=off,
  // there are none. `made_with` is what else verdicts depend on, such as the MPI library.
  // Collective over `hosts.ranks`. REQUIRES: settings.learn is the same on all ranks.
  void take(const Settings& settings, const StartHosts& hosts,
            const std::vector<std::string>& host_names, const std::string& made_with);
  // On rank 0: keeps what was learnt, beside what others have kept meanwhile.
  void keep() const;

  // Null where there are none, not even later.
  Verdicts* get() { return is_on_ ? &verdicts_ : nullptr; }

 private:
  bool is_on_ = false;
  std::string path_;  // empty: of another rank, or of no file
  Verdicts verdicts_;
};

}  // namespace quadrille
