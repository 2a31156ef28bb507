// SPDX-License-Identifier: BSD-3-Clause
// Rates of a network out of what an emulated cluster states of itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "network/bounds.h"

namespace quadrille::bench {

// Understands an object with `bridges`, `hosts` and `trunks`, with rates in bit/s; a rate that is
// missing bounds nothing. Errors name the key.
Result<NetworkRates> parse_lab_rates(const nlohmann::json& statement);

}  // namespace quadrille::bench
