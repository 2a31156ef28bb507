// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom in an exchange.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"

namespace quadrille::messages {

// partners[rank]: the ranks that it sends to, in this order.
using PartnersOfRanks = std::vector<std::vector<int>>;

// The "partners" of the JSON object that QUADRILLE_MESSAGES has had a job of `ranks` ranks write.
// Fails where `text` is none, of a job of other size, or names a rank that there is not.
Result<PartnersOfRanks> parse_partners(const std::string& text, int ranks);

// What a rank does at one time: it sends to `receivers` and waits until that has left, and until
// there is what `senders` send it at that time.
struct Round {
  std::vector<int> receivers;
  std::vector<int> senders;
};
// Each rank sends to `at_once` of its partners in each round, until it has sent to all. All ranks
// have equally many rounds.
std::vector<Round> rounds_of(int rank, const PartnersOfRanks& partners, std::size_t at_once);

}  // namespace quadrille::messages
