// SPDX-License-Identifier: BSD-3-Clause
// Which hosts a job runs on, as files of the cache are named by them.
#pragma once

#include <string>
#include <vector>

#include "mpi/start/start_probe.h"

namespace quadrille {

// On rank 0 a key that is the same for the same hosts in any order, and the same network of theirs;
// elsewhere empty. Collective over `hosts.ranks`.
std::string host_set_key(const StartHosts& hosts, const std::vector<std::string>& host_names);

}  // namespace quadrille
