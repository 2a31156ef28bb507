// SPDX-License-Identifier: BSD-3-Clause
// The order in which a rank exchanges with all others so that in each phase a host has one partner
// host, which it sends to and receives from: what each says of the other's data then rides on its
// own. The rounds are those of a tournament in which each meets each (circle method: T. P. Kirkman,
// Cambridge and Dublin Mathematical Journal 2, 1847).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/units.h"
#include "network/topology_view.h"

namespace quadrille {

// Whom number `own` of `count` meets in a round; nobody in one of the rounds where `count` is odd.
// Rounds are 0 to count - 1, of which the last is nobody's where `count` is even.
std::optional<std::size_t> partner_in_round(std::size_t count, std::size_t own, std::size_t round);

// All other ranks: those of the own host first, then of one host after the other.
std::vector<Rank> partners_by_host(const TopologyView& view, Rank rank);

}  // namespace quadrille
