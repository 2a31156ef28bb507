// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace quadrille {

// How many portions of `portion` hold `amount`, or how much the largest of so many shares is:
// amount / portion, rounded up. REQUIRES: portion > 0.
constexpr std::uint64_t divide_up(std::uint64_t amount, std::uint64_t portion) {
  return (amount + portion - 1) / portion;
}

}  // namespace quadrille
