// SPDX-License-Identifier: BSD-3-Clause
#include "base/utc.h"

#include <array>

namespace quadrille {

std::string utc_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace quadrille
