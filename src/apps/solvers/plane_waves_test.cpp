// SPDX-License-Identifier: BSD-3-Clause
// Ranks exchange their blocks here.
#include "apps/solvers/plane_waves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace quadrille::solvers {
namespace {

void exchange(std::vector<PlaneWaves>& all) {
  const std::size_t block = all[0].block();
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t to = 0; to < all.size(); ++to)
      std::ranges::copy(all[from].send().subspan(to * block, block),
                        all[to].receive().subspan(from * block, block).begin());
}

TEST(PlaneWaves, a_transform_is_the_sum_that_defines_it) {
  std::vector<Complex> values(16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {noise(i), noise(i + 100)};
  auto found = values;
  fourier(found, -1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    Complex sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += values[i] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k) / 16);
    EXPECT_LT(std::abs(found[k] - sum), 1e-12);
  }
}

TEST(PlaneWaves, any_number_of_ranks_keeps_the_power_and_finds_the_coefficients_again) {
  constexpr int length = 16;
  double of_one = 0;
  for (const int ranks : {1, 2, 3, 5, 16, 24}) {
    std::vector<PlaneWaves> all;
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(length, 4.2, rank, ranks);
    double before = 0;
    double on_grid = 0;
    for (auto& rank : all) before += rank.power_of_sticks();
    for (auto& rank : all) rank.sticks_to_blocks();
    exchange(all);
    for (auto& rank : all) rank.blocks_to_planes();
    for (auto& rank : all) on_grid += rank.power_of_planes();
    EXPECT_NEAR(on_grid / before, std::pow(length, 3), 1e-6);
    if (ranks == 1) of_one = on_grid;
    EXPECT_NEAR(on_grid / of_one, 1, 1e-12);
    for (auto& rank : all) rank.planes_to_blocks();
    exchange(all);
    for (auto& rank : all) rank.blocks_to_sticks();
    for (auto& rank : all) EXPECT_LT(rank.error(), 1e-12);
  }
}

TEST(PlaneWaves, a_block_that_went_astray_is_noticed) {
  std::vector<PlaneWaves> all;
  for (int rank = 0; rank < 2; ++rank) all.emplace_back(16, 4.2, rank, 2);
  for (auto& rank : all) rank.sticks_to_blocks();
  for (auto& rank : all) rank.blocks_to_planes();  // nothing was exchanged
  for (auto& rank : all) rank.planes_to_blocks();
  exchange(all);
  for (auto& rank : all) rank.blocks_to_sticks();
  EXPECT_GT(all[0].error(), 0.01);
}

}  // namespace
}  // namespace quadrille::solvers
