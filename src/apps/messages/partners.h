// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom in an exchange.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace quadrille::messages {

// partners[rank]: the ranks that it sends to, in this order.
using PartnersOfRanks = std::vector<std::vector<int>>;

// The "partners" of the JSON object that QUADRILLE_MESSAGES has had a job of `ranks` ranks write.
// Fails where `text` is none, of a job of other size, or names a rank that there is not.
Result<PartnersOfRanks> parse_partners(const std::string& text, int ranks);

// All ranks that send to `rank`, the lowest first.
std::vector<int> senders_to(int rank, const PartnersOfRanks& partners);

}  // namespace quadrille::messages
