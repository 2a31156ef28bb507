// SPDX-License-Identifier: BSD-3-Clause
// Where a network as found now departs from the model made of it before.
//
// Hosts are matched as hosts_of does it; segments and trunks by the hosts they hold or divide,
// since names of segments are the probe's own and may differ from one run to the next. Only hosts
// that are in both are compared, so a job on some of the hosts still fits. A value unknown on
// either side is no difference.
#pragma once

#include <string>
#include <vector>

#include "network/model/model.h"

namespace quadrille {

struct Difference {
  std::string path;      // in the expected model; "" where it has no such thing
  std::string expected;  // as in the text, in human units
  std::string found;
  std::string text;      // one sentence
  bool serious = false;  // plans made from the expected model are wrong or unsafe now
};

// Rates and bursts differ when their intervals do not meet and the values are more than 20 % apart.
// REQUIRES: both models were parsed, or pass check_model.
std::vector<Difference> compare_models(const NetworkModel& expected, const NetworkModel& found);

bool any_serious(const std::vector<Difference>& differences);

// Of the differences of two measurements from one model, those of the second at whose place the
// first departed too. What is in no place of the model must be the same.
std::vector<Difference> seen_in_both(const std::vector<Difference>& first,
                                     std::vector<Difference> second);

}  // namespace quadrille
