// SPDX-License-Identifier: BSD-3-Clause
// Own elements are 1 to size in each dimension, 0 and size + 1 are halo; outside of the cube it
// stays zero.
#include "apps/solvers/poisson_box.h"

namespace quadrille::solvers {

PoissonBox::PoissonBox(int length, const std::array<Extent, 3>& box)
    : length_(length),
      first_{box[0].first, box[1].first, box[2].first},
      size_{box[0].size, box[1].size, box[2].size} {
  std::size_t all = 1;
  for (std::size_t dimension = 3; dimension-- > 0;) {
    stride_[dimension] = all;
    all *= static_cast<std::size_t>(size_[dimension]) + 2;
  }
  for (auto* vector : {&solution_, &right_, &residual_, &direction_, &applied_})
    vector->assign(all, 0.0);
  std::vector<double> truth(all);
  for (int x = 0; x <= size_[0] + 1; ++x)
    for (int y = 0; y <= size_[1] + 1; ++y)
      for (int z = 0; z <= size_[2] + 1; ++z) truth[at(x, y, z)] = known(x, y, z);
  each([&](std::size_t i) { right_[i] = stencil(i, truth); });
}

template <typename Visit>
void PoissonBox::each(Visit visit) const {
  for (int x = 1; x <= size_[0]; ++x) {
    for (int y = 1; y <= size_[1]; ++y) {
      const std::size_t row = at(x, y, 1);
      for (std::size_t z = 0; z < static_cast<std::size_t>(size_[2]); ++z) visit(row + z);
    }
  }
}

template <typename Visit>
void PoissonBox::each_of_face(int side, int layer, Visit visit) const {
  const auto across = static_cast<std::size_t>(side / 2);
  const std::size_t one = across == 0 ? 1 : 0;
  const std::size_t other = across == 2 ? 1 : 2;
  for (int i = 1; i <= size_[one]; ++i)
    for (int j = 1; j <= size_[other]; ++j)
      visit(stride_[across] * static_cast<std::size_t>(layer) +
            stride_[one] * static_cast<std::size_t>(i) +
            stride_[other] * static_cast<std::size_t>(j));
}

std::size_t PoissonBox::at(int x, int y, int z) const {
  return stride_[0] * static_cast<std::size_t>(x) + stride_[1] * static_cast<std::size_t>(y) +
         static_cast<std::size_t>(z);
}

double PoissonBox::known(int x, int y, int z) const {
  const std::array<int, 3> place{x, y, z};
  std::uint64_t number = 0;
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    const int in_cube = first_[dimension] + place[dimension] - 1;
    if (in_cube < 0 || in_cube >= length_) return 0;
    number = number * static_cast<std::uint64_t>(length_) + static_cast<std::uint64_t>(in_cube);
  }
  return noise(number);
}

double PoissonBox::stencil(std::size_t middle, const std::vector<double>& of) const {
  return 6 * of[middle] - of[middle - stride_[0]] - of[middle + stride_[0]] -
         of[middle - stride_[1]] - of[middle + stride_[1]] - of[middle - 1] - of[middle + 1];
}

std::size_t PoissonBox::face_elements(int side) const {
  const auto across = static_cast<std::size_t>(side / 2);
  std::size_t elements = 1;
  for (std::size_t dimension = 0; dimension < 3; ++dimension)
    if (dimension != across) elements *= static_cast<std::size_t>(size_[dimension]);
  return elements;
}

void PoissonBox::copy_face(int side, std::span<double> face) const {
  const int layer = side % 2 == 0 ? 1 : size_[static_cast<std::size_t>(side / 2)];
  std::size_t next = 0;
  each_of_face(side, layer, [&](std::size_t i) { face[next++] = direction_[i]; });
}

void PoissonBox::set_halo(int side, std::span<const double> face) {
  const int layer = side % 2 == 0 ? 0 : size_[static_cast<std::size_t>(side / 2)] + 1;
  std::size_t next = 0;
  each_of_face(side, layer, [&](std::size_t i) { direction_[i] = face[next++]; });
}

double PoissonBox::start() {
  double sum = 0;
  each([&](std::size_t i) {
    solution_[i] = 0;
    residual_[i] = direction_[i] = right_[i];
    sum += right_[i] * right_[i];
  });
  return sum;
}

double PoissonBox::apply() {
  double sum = 0;
  each([&](std::size_t i) {
    applied_[i] = stencil(i, direction_);
    sum += applied_[i] * direction_[i];
  });
  return sum;
}

double PoissonBox::advance(double alpha) {
  double sum = 0;
  each([&](std::size_t i) {
    solution_[i] += alpha * direction_[i];
    residual_[i] -= alpha * applied_[i];
    sum += residual_[i] * residual_[i];
  });
  return sum;
}

void PoissonBox::turn(double beta) {
  each([&](std::size_t i) { direction_[i] = residual_[i] + beta * direction_[i]; });
}

void PoissonBox::look_at_solution() {
  each([&](std::size_t i) { direction_[i] = solution_[i]; });
}

double PoissonBox::residual_share() {
  double sum = 0;
  each([&](std::size_t i) {
    const double left = right_[i] - stencil(i, direction_);
    sum += left * left;
  });
  return sum;
}

double PoissonBox::error_share() const {
  double sum = 0;
  for (int x = 1; x <= size_[0]; ++x)
    for (int y = 1; y <= size_[1]; ++y)
      for (int z = 1; z <= size_[2]; ++z) {
        const double off = solution_[at(x, y, z)] - known(x, y, z);
        sum += off * off;
      }
  return sum;
}

}  // namespace quadrille::solvers
