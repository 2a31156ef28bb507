// SPDX-License-Identifier: BSD-3-Clause
// The ring of vranks in which each one sends over ceil(log2 p) = q skips, one a round, and which
// block of a broadcast from vrank 0 crosses which edge so that everybody gets a block that it has
// not yet in every round.
//
// skip(q) = p, and downwards each skip is half of the next one, rounded up, until skip(0) = 1. In
// round k of a phase of q rounds vrank v sends to v + skip(k) and receives from v - skip(k); then
// the next phase begins. Vrank 0 sends block k in round k, and q more in every further phase, as
// everybody does. Written as a sum of skips, largest first, v shows by its last one the base block,
// which comes to it in this phase; the q - 1 other blocks that it receives are of the phase before.
//
//   5 vranks, block received in round:   0 (skip 1)   1 (skip 2)   2 (skip 3)
//     vrank 1 = skip(0)                       0           -1           -2
//     vrank 2 = skip(1)                      -3            1           -1
//     vrank 3 = skip(2)                      -2           -3            2
//     vrank 4 = skip(2) + skip(0)            -1           -2            0
//
// Source: Traeff, Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
//         All-Broadcast, Reduction and All-Reduction, arXiv:2407.18004 (2024),
//         doi:10.1145/3735139. There the search for a receipt's block goes over the skips that lead
//         to a vrank, in time O(log p); here over the vranks themselves. The test holds the paper's
//         conditions for a correct schedule against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace quadrille {

class CirculantGraph {
 public:
  // REQUIRES: vranks >= 1
  explicit CirculantGraph(Rank vranks);

  std::size_t rounds() const { return skips_.size() - 1; }  // q, of one phase
  Rank skip(std::size_t round) const { return skips_[round]; }

  // The numbers of the blocks that `vrank` receives in the rounds of phase 0: q different ones,
  // also modulo q. Those below 0 were sent by vrank 0 in the phase before. REQUIRES: 0 < vrank <
  // vranks.
  std::vector<std::int64_t> receipts(Rank vrank) const;

 private:
  std::size_t base_block(Rank vrank) const;

  std::vector<Rank> skips_;  // [q + 1], the last one being the number of vranks
};

}  // namespace quadrille
