// SPDX-License-Identifier: BSD-3-Clause
// A block holds, for each of the sender's (or receiver's) sticks, the receiver's (or sender's)
// planes; all are as large as the largest.
#include "apps/solvers/plane_waves.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quadrille::solvers {
namespace {

Complex original(std::size_t stick, std::size_t height, int length) {
  const std::size_t number = stick * static_cast<std::size_t>(length) + height;
  return {noise(2 * number), noise(2 * number + 1)};
}

}  // namespace

// J. Cooley, J. Tukey, doi:10.1090/S0025-5718-1965-0178586-1.
void fourier(std::span<Complex> values, int sign) {
  const std::size_t length = values.size();
  for (std::size_t i = 1, j = 0; i < length; ++i) {
    std::size_t bit = length >> 1U;
    for (; (j & bit) != 0; bit >>= 1U) j ^= bit;
    j |= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t half = 1; half < length; half *= 2) {
    const Complex turn = std::polar(1.0, sign * std::numbers::pi / static_cast<double>(half));
    for (std::size_t first = 0; first < length; first += 2 * half) {
      Complex factor = 1;
      for (std::size_t i = first; i < first + half; ++i, factor *= turn) {
        const Complex other = factor * values[i + half];
        values[i + half] = values[i] - other;
        values[i] += other;
      }
    }
  }
}

PlaneWaves::PlaneWaves(int length, double radius, int rank, int ranks)
    : length_(length), rank_(rank), ranks_(ranks), planes_(part_of(length, ranks, rank)) {
  const int most = static_cast<int>(radius);
  for (int x = -most; x <= most; ++x)
    for (int y = -most; y <= most; ++y)
      if (x * x + y * y <= radius * radius)
        all_sticks_.emplace_back((x + length) % length, (y + length) % length);
  const auto side = static_cast<std::size_t>(length);
  for (auto i = static_cast<std::size_t>(rank); i < all_sticks_.size();
       i += static_cast<std::size_t>(ranks))
    for (std::size_t z = 0; z < side; ++z) coefficients_.push_back(original(i, z, length));
  space_.resize(static_cast<std::size_t>(planes_.size) * side * side);
  send_.resize(block() * static_cast<std::size_t>(ranks));
  receive_.resize(send_.size());
}

std::size_t PlaneWaves::most_planes() const {
  return static_cast<std::size_t>(part_of(length_, ranks_, 0).size);
}

std::size_t PlaneWaves::most_sticks() const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  return (all_sticks_.size() + ranks - 1) / ranks;
}

std::size_t PlaneWaves::block() const { return most_planes() * most_sticks(); }

std::span<Complex> PlaneWaves::stick(std::size_t own) {
  const auto side = static_cast<std::size_t>(length_);
  return std::span(coefficients_).subspan(own * side, side);
}

std::span<Complex> PlaneWaves::plane(int own) {
  const auto side = static_cast<std::size_t>(length_);
  return std::span(space_).subspan(static_cast<std::size_t>(own) * side * side, side * side);
}

void PlaneWaves::sticks_to_blocks() {
  const std::size_t own = coefficients_.size() / static_cast<std::size_t>(length_);
  for (std::size_t i = 0; i < own; ++i) {
    fourier(stick(i), 1);
    for (int to = 0; to < ranks_; ++to) {
      const Extent there = part_of(length_, ranks_, to);
      Complex* target = send_.data() + static_cast<std::size_t>(to) * block() + i * most_planes();
      std::copy_n(stick(i).data() + there.first, there.size, target);
    }
  }
}

void PlaneWaves::blocks_to_planes() {
  const auto side = static_cast<std::size_t>(length_);
  std::ranges::fill(space_, Complex{});
  for (std::size_t i = 0; i < all_sticks_.size(); ++i) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const Complex* source = receive_.data() + i % ranks * block() + i / ranks * most_planes();
    const auto [x, y] = all_sticks_[i];
    for (int z = 0; z < planes_.size; ++z)
      plane(z)[static_cast<std::size_t>(x) * side + static_cast<std::size_t>(y)] = source[z];
  }
  transform_planes(1);
}

void PlaneWaves::transform_planes(int sign) {
  const auto side = static_cast<std::size_t>(length_);
  std::vector<Complex> column(side);
  for (int z = 0; z < planes_.size; ++z) {
    const auto values = plane(z);
    for (std::size_t x = 0; x < side; ++x) fourier(values.subspan(x * side, side), sign);
    for (std::size_t y = 0; y < side; ++y) {
      for (std::size_t x = 0; x < side; ++x) column[x] = values[x * side + y];
      fourier(column, sign);
      for (std::size_t x = 0; x < side; ++x) values[x * side + y] = column[x];
    }
  }
}

void PlaneWaves::planes_to_blocks() {
  const auto side = static_cast<std::size_t>(length_);
  transform_planes(-1);
  for (std::size_t i = 0; i < all_sticks_.size(); ++i) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    Complex* target = send_.data() + i % ranks * block() + i / ranks * most_planes();
    const auto [x, y] = all_sticks_[i];
    for (int z = 0; z < planes_.size; ++z)
      target[z] = plane(z)[static_cast<std::size_t>(x) * side + static_cast<std::size_t>(y)];
  }
}

void PlaneWaves::blocks_to_sticks() {
  const double scale = 1 / std::pow(length_, 3);
  const std::size_t own = coefficients_.size() / static_cast<std::size_t>(length_);
  for (std::size_t i = 0; i < own; ++i) {
    for (int from = 0; from < ranks_; ++from) {
      const Extent there = part_of(length_, ranks_, from);
      const Complex* source =
          receive_.data() + static_cast<std::size_t>(from) * block() + i * most_planes();
      std::copy_n(source, there.size, stick(i).data() + there.first);
    }
    fourier(stick(i), -1);
    for (Complex& value : stick(i)) value *= scale;
  }
}

double PlaneWaves::power_of_sticks() const {
  double sum = 0;
  for (const Complex& value : coefficients_) sum += std::norm(value);
  return sum;
}

double PlaneWaves::power_of_planes() const {
  double sum = 0;
  for (const Complex& value : space_) sum += std::norm(value);
  return sum;
}

double PlaneWaves::error() const {
  const auto side = static_cast<std::size_t>(length_);
  double most = 0;
  for (std::size_t i = 0; i < coefficients_.size(); ++i) {
    const std::size_t number =
        i / side * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank_);
    most = std::max(most, std::abs(coefficients_[i] - original(number, i % side, length_)));
  }
  return most;
}

}  // namespace quadrille::solvers
