// SPDX-License-Identifier: BSD-3-Clause
// Rates of a network out of a JSON file: the truth an emulated cluster states of itself, or a
// network model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "network/bounds.h"

namespace quadrille::bench {

// Understands an object with `segments` (or `bridges`: those without hosts too), `hosts` and
// `trunks`, with rates in bit/s; a rate that is missing bounds nothing. Errors name the key.
Result<NetworkRates> parse_rates(const nlohmann::json& file);

}  // namespace quadrille::bench
