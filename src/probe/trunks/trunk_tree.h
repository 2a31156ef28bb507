// SPDX-License-Identifier: BSD-3-Clause
// Arranges segments and the trunks between them as a tree. Pure.
//
// Every trunk splits the hosts in two. Splits that are compatible (one side of one holds one side
// of the other) fit exactly one tree (Buneman 1971); here each is turned so that it does not hold
// the root, and its parent is the smallest split around it.
#pragma once

#include <optional>
#include <vector>

#include "probe/trunks/cut.h"

namespace quadrille::probe {

// In one direction between some segments and all others.
struct Crossing {
  MaybeMeasured bit_s;          // of what crosses
  MaybeMeasured buffer_bytes;   // of the queue before it
  MaybeMeasured ambient_share;  // what others have of it
};

struct SplitRates {
  bool full = false;  // in one direction at least, something shared was overloaded
  Crossing out;
  Crossing in;
};

struct Split {
  std::vector<std::size_t> segments;  // ascending, of one side
  SplitRates rates;
};

// The same cut of `segments` in all, seen from its other side.
Split other_side(const Split& split, std::size_t segments);

struct TreeNode {
  std::optional<std::size_t> segment;  // nothing: a junction without hosts
  std::optional<std::size_t> parent;   // index of a node; nothing: the root
  SplitRates to_parent;                // `out`: towards the parent
};

// `own`: the split of each segment alone, by position; `joint`: splits of several segments that a
// trunk of their own was found for; incompatible ones are left out, later ones first. REQUIRES: at
// least one segment.
std::vector<TreeNode> arrange_trunks(const std::vector<SplitRates>& own, std::vector<Split> joint);

}  // namespace quadrille::probe
