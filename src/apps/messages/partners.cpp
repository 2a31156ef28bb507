// SPDX-License-Identifier: BSD-3-Clause
#include "apps/messages/partners.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace quadrille::messages {

Result<PartnersOfRanks> parse_partners(const std::string& text, int ranks) {
  const auto read = nlohmann::json::parse(text, nullptr, false);
  if (!read.is_object() || !read.contains("partners") || !read["partners"].is_array())
    return Error{ErrorKind::corrupt, "it holds no partners"};
  PartnersOfRanks partners;
  for (const auto& of_rank : read["partners"]) {
    std::vector<int> own;
    for (const auto& partner : of_rank) {
      if (!partner.is_number_integer() || partner < 0 || partner >= ranks)
        return Error{ErrorKind::corrupt, "its partners are no ranks of this job"};
      own.push_back(partner.get<int>());
    }
    partners.push_back(std::move(own));
  }
  if (partners.size() != static_cast<std::size_t>(ranks))
    return Error{ErrorKind::corrupt,
                 "it is of a job of " + std::to_string(partners.size()) + " ranks"};
  return partners;
}

std::vector<Round> rounds_of(int rank, const PartnersOfRanks& partners, std::size_t at_once) {
  std::size_t most = 0;
  for (const auto& of_rank : partners) most = std::max(most, of_rank.size());
  std::vector<Round> rounds((most + at_once - 1) / at_once);
  for (std::size_t sender = 0; sender < partners.size(); ++sender) {
    for (std::size_t place = 0; place < partners[sender].size(); ++place) {
      Round& round = rounds[place / at_once];
      if (static_cast<int>(sender) == rank) round.receivers.push_back(partners[sender][place]);
      if (partners[sender][place] == rank) round.senders.push_back(static_cast<int>(sender));
    }
  }
  return rounds;
}

}  // namespace quadrille::messages
