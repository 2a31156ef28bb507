// SPDX-License-Identifier: BSD-3-Clause
// Ranks that hand each other reflectors and products here.
#include "apps/solvers/tridiagonal.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::solvers {
namespace {

Tridiagonal reduce(int order, int ranks) {
  std::vector<OwnColumns> all;
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(order, rank, ranks);
  Tridiagonal found;
  for (int column = 0; column < order; ++column) {
    const auto length = static_cast<std::size_t>(all[0].below(column));
    std::vector<double> made(length + 2);
    all[static_cast<std::size_t>(all[0].owner(column))].reflector(column, made);
    found.diagonal.push_back(made[length]);
    if (length > 0) found.beside.push_back(made[length + 1]);
    std::vector<double> product(length);
    for (const auto& rank : all) {
      std::vector<double> part(length);
      rank.multiply(column, made, part);
      std::ranges::transform(product, part, product.begin(), std::plus{});
    }
    for (auto& rank : all) rank.update(column, made, product);
  }
  return found;
}

TEST(Tridiagonal, any_number_of_ranks_finds_the_known_eigenvalues) {
  for (const int ranks : {1, 2, 3, 7, 30, 31})
    EXPECT_TRUE(has_known_eigenvalues(reduce(30, ranks), 1e-8)) << ranks;
}

TEST(Tridiagonal, a_wrong_element_is_noticed) {
  auto found = reduce(30, 3);
  found.beside[10] *= 1.0001;
  EXPECT_FALSE(has_known_eigenvalues(found, 1e-8));
}

TEST(Tridiagonal, every_column_behind_is_somebodys) {
  for (int column = 0; column < 30; ++column) {
    int behind = 0;
    for (int rank = 0; rank < 7; ++rank) behind += OwnColumns(30, rank, 7).own_behind(column);
    EXPECT_EQ(behind, 29 - column);
  }
}

}  // namespace
}  // namespace quadrille::solvers
