// SPDX-License-Identifier: BSD-3-Clause
// Points in time as model and results files state them: UTC, ISO 8601, whole seconds, as in
// "2025-03-30T02:30:00Z".
#pragma once

#include <ctime>
#include <string>

namespace quadrille {

std::string utc_text(std::time_t time);
std::string utc_now();

}  // namespace quadrille
