// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of samples: always one of them, never a mean of two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace quadrille::probe {

// The value that `part` in `whole` of the samples are before, in the order of `before`; T{} of no
// samples. REQUIRES: part < whole.
template <typename T, typename Before = std::less<T>>
T quantile(std::vector<T> samples, std::size_t part, std::size_t whole, Before before = {}) {
  if (samples.empty()) return T{};
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() * part / whole);
  std::nth_element(samples.begin(), at, samples.end(), before);
  return *at;
}

// The middle one; of an even number, the later of both.
template <typename T, typename Before = std::less<T>>
T median(std::vector<T> samples, Before before = {}) {
  return quantile(std::move(samples), 1, 2, before);
}

}  // namespace quadrille::probe
