// SPDX-License-Identifier: BSD-3-Clause
// What a full link carries in all, and what others have of that, from a strong and a weak load.
//
// A full queue lets us and others, who send at a steady rate, through in proportion to what each
// offers: of x offered, a link of rate c beside others' a carries r = c x / (x + a), so that
// 1/r = 1/c + (a/c) 1/x is a straight line in 1/x. Two loads give c and the share a/c. Others that
// give way when it is full, as TCP does, offer less beside the strong load and so look like fewer.
#pragma once

#include <optional>

#include "network/model/model.h"

namespace quadrille::probe {

// Of one load.
struct Passage {
  double offered_bit_s = 0;
  double carried_bit_s = 0;
};

struct LinkBesideOthers {
  Measured bit_s;
  Measured ambient_share;
};

// Nothing where the loads are too much alike, or the strong one came through whole. The weak one
// need not fill the link: then it bounds what others may have.
std::optional<LinkBesideOthers> link_beside_others(const Passage& strong, const Passage& weak);

}  // namespace quadrille::probe
