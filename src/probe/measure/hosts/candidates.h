// SPDX-License-Identifier: BSD-3-Clause
// The ways on which hosts may reach each other, by what they say of their interfaces: one for each
// subnet that two hosts share, and where no subnet holds all hosts, one by the routers.
#pragma once

#include <string>
#include <vector>

#include "probe/network.h"

namespace quadrille::probe {

// `wanted`: interfaces that the user or the MPI library's settings name, "eth0", "198.18.0.0/16" or
// an address, separated by commas; may be empty. Preferred ways come first, then those of more
// hosts, then those with more physical interfaces.
std::vector<CandidateNetwork> candidate_networks(const std::vector<HostFacts>& hosts,
                                                 const std::string& wanted);

// What the environment's settings of MPI libraries and their transports name, or nothing.
std::string wanted_by_mpi_settings();

}  // namespace quadrille::probe
