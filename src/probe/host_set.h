// SPDX-License-Identifier: BSD-3-Clause
// Sets of hosts. All of them are ascending, which is what the functions here require.
#pragma once

#include <vector>

#include "probe/round.h"

namespace quadrille::probe {

using HostSet = std::vector<HostIndex>;  // ascending

bool contains(const HostSet& set, HostIndex host);

// Hosts of `all` that are not in `some`.
HostSet others(const HostSet& all, const HostSet& some);

// Hosts of `one` or of `other`.
HostSet joined(const HostSet& one, const HostSet& other);

// |one and other| / |one or other|. REQUIRES: not both empty.
double overlap(const HostSet& one, const HostSet& other);

// What all of `sets` leave together of `hosts`: two hosts are in one part iff no set holds just one
// of them.
std::vector<HostSet> common_refinement(const HostSet& hosts, const std::vector<HostSet>& sets);

}  // namespace quadrille::probe
