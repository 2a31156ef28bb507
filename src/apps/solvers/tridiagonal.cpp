// SPDX-License-Identifier: BSD-3-Clause
// The matrix is D = diag(1, 2, ...) reflected once, so that it is full.
#include "apps/solvers/tridiagonal.h"

#include <cmath>
#include <cstdint>
#include <numeric>

#include "apps/solvers/partition.h"

namespace quadrille::solvers {

int eigenvalues_below(const Tridiagonal& matrix, double bound) {
  int below = 0;
  double ratio = 1;
  for (std::size_t i = 0; i < matrix.diagonal.size(); ++i) {
    const double beside = i == 0 ? 0 : matrix.beside[i - 1];
    ratio = matrix.diagonal[i] - bound - beside * beside / ratio;
    if (ratio == 0) ratio = 1e-300;
    if (ratio < 0) ++below;
  }
  return below;
}

bool has_known_eigenvalues(const Tridiagonal& matrix, double tolerance) {
  const int order = static_cast<int>(matrix.diagonal.size());
  for (int i = 1; i <= order; ++i) {
    if (eigenvalues_below(matrix, i - tolerance) != i - 1) return false;
    if (eigenvalues_below(matrix, i + tolerance) != i) return false;
  }
  return true;
}

OwnColumns::OwnColumns(int order, int rank, int ranks)
    : order_(order),
      rank_(rank),
      ranks_(ranks),
      columns_(static_cast<std::size_t>((order - rank + ranks - 1) / ranks) *
               static_cast<std::size_t>(order)),
      partner_(static_cast<std::size_t>(order)) {
  std::vector<double> mirror(static_cast<std::size_t>(order));
  for (std::size_t i = 0; i < mirror.size(); ++i) mirror[i] = noise(i);
  const double length =
      std::sqrt(std::inner_product(mirror.begin(), mirror.end(), mirror.begin(), 0.0));
  double sum = 0;
  for (std::size_t i = 0; i < mirror.size(); ++i) {
    mirror[i] /= length;
    sum += mirror[i] * mirror[i] * static_cast<double>(i + 1);
  }
  std::size_t next = 0;
  for (auto j = static_cast<std::size_t>(rank); j < mirror.size();
       j += static_cast<std::size_t>(ranks)) {
    for (std::size_t i = 0; i < mirror.size(); ++i) {
      const double product = mirror[i] * mirror[j];
      const double value = product * (4 * sum - 2 * static_cast<double>(i + j + 2));
      columns_[next++] = i == j ? value + static_cast<double>(i + 1) : value;
    }
  }
}

int OwnColumns::first_own_behind(int column) const {
  const int behind = column + 1;
  return behind + (rank_ - behind % ranks_ + ranks_) % ranks_;
}

int OwnColumns::own_behind(int column) const {
  const int first = first_own_behind(column);
  return first >= order_ ? 0 : (order_ - 1 - first) / ranks_ + 1;
}

std::span<const double> OwnColumns::own(int column) const {
  const auto order = static_cast<std::size_t>(order_);
  return std::span(columns_).subspan(static_cast<std::size_t>(column / ranks_) * order, order);
}

void OwnColumns::reflector(int column, std::span<double> made) const {
  const auto own_column = own(column);
  const auto length = static_cast<std::size_t>(below(column));
  const auto tail = own_column.subspan(static_cast<std::size_t>(column) + 1);
  made[length] = own_column[static_cast<std::size_t>(column)];
  made[length + 1] = 0;
  if (length == 0) return;
  const double norm = std::sqrt(std::inner_product(tail.begin(), tail.end(), tail.begin(), 0.0));
  const double beside = tail[0] > 0 ? -norm : norm;
  made[length + 1] = beside;
  double squares = 0;
  for (std::size_t i = 0; i < length; ++i) {
    made[i] = tail[i] - (i == 0 ? beside : 0);
    squares += made[i] * made[i];
  }
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (std::size_t i = 0; i < length; ++i) made[i] *= scale;
}

void OwnColumns::multiply(int column, std::span<const double> reflector,
                          std::span<double> product) const {
  const auto length = static_cast<std::size_t>(below(column));
  for (std::size_t i = 0; i < length; ++i) product[i] = 0;
  for (int j = first_own_behind(column); j < order_; j += ranks_) {
    const double* tail = own(j).data() + column + 1;
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += tail[i] * reflector[i];
    product[static_cast<std::size_t>(j - column - 1)] = sum;
  }
}

void OwnColumns::update(int column, std::span<const double> reflector,
                        std::span<const double> product) {
  const auto length = static_cast<std::size_t>(below(column));
  double overlap = 0;
  for (std::size_t i = 0; i < length; ++i) overlap += reflector[i] * product[i];
  for (std::size_t i = 0; i < length; ++i) partner_[i] = product[i] - overlap * reflector[i];
  for (int j = first_own_behind(column); j < order_; j += ranks_) {
    double* tail = columns_.data() +
                   static_cast<std::size_t>(j / ranks_) * static_cast<std::size_t>(order_) +
                   column + 1;
    const auto at = static_cast<std::size_t>(j - column - 1);
    const double of_partner = 2 * reflector[at];
    const double of_reflector = 2 * partner_[at];
    for (std::size_t i = 0; i < length; ++i)
      tail[i] -= of_reflector * reflector[i] + of_partner * partner_[i];
  }
}

}  // namespace quadrille::solvers
