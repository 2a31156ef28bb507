// SPDX-License-Identifier: BSD-3-Clause
// Sets that only ever grow together (union-find), such as the parts of a network that trunks join.
// Source: Tarjan and van Leeuwen, Worst-case analysis of set union algorithms, Journal of the ACM
//         31 (1984), doi:10.1145/62.2160 (path halving)
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace quadrille {

class DisjointSets {
 public:
  // Sets of one element each: 0, 1, ... elements - 1.
  explicit DisjointSets(std::size_t elements) : above_(elements) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }

  // The element that stands for the set of `element`.
  std::size_t representative(std::size_t element) {
    while (above_[element] != element) element = above_[element] = above_[above_[element]];
    return element;
  }

  // Joins the set of `element` to that of `into`, whose representative stands for both. Returns
  // whether they were two.
  bool join(std::size_t element, std::size_t into) {
    const std::size_t joined = representative(element);
    const std::size_t kept = representative(into);
    above_[joined] = kept;
    return joined != kept;
  }

 private:
  std::vector<std::size_t> above_;  // towards the representative, which is above itself
};

}  // namespace quadrille
