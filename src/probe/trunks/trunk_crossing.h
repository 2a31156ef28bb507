// SPDX-License-Identifier: BSD-3-Clause
// What one load, or a strong and a weak one, tell of a trunk. Pure.
#pragma once

#include "probe/trunks/cut.h"
#include "probe/trunks/trunk_tree.h"

namespace quadrille::probe {

// What crossed in one direction: measured where something was full, else at least what arrived.
Crossing crossing_of(const CutDirection& direction, bool alone);
SplitRates rates_of(const Cut& cut, bool alone);

inline constexpr double kWeakLoad = 0.95;  // of what a strong load brought through

// Beside others' traffic: what a strong load and a weak one carried tells what the link carries in
// all, and what others have of it.
void see_others(const CutDirection& strong, const CutDirection& weak, Crossing& crossing);

// It carries at least what was measured.
void open_end(Crossing& crossing);
bool is_told(const MaybeMeasured& rate);  // not only a least one

// Whether what crossed is all that the trunk behind it carries.
bool fills(const Crossing& crossing, const Crossing& behind);

// What arrives only ever falls short, so of two rates the higher is nearer to the truth; but of two
// that are about alike, the one where something was full.
bool is_nearer(double bit_s, bool told, double than_bit_s, bool that_is_told);
void take_nearer(const Crossing& crossing, Crossing& best);

// What of `offered_bit_s` gets through beside what others have: all where no limit is known.
double through(const Crossing& crossing, double offered_bit_s);

}  // namespace quadrille::probe
