// SPDX-License-Identifier: BSD-3-Clause
// Augmenting paths, each row trying a free column first.
#include "schedule/check/bipartite_matching.h"

namespace quadrille {

namespace {

class Matching {
 public:
  explicit Matching(const BitRows& allowed)
      : allowed_(allowed), row_of_(allowed.columns(), BitRows::none) {}

  std::size_t run() {
    std::size_t size = 0;
    for (std::size_t row = 0; row < allowed_.rows(); ++row) {
      tried_.assign(allowed_.columns(), false);
      if (find_column(row)) ++size;
    }
    return size;
  }

 private:
  bool find_column(std::size_t row) {
    for (std::size_t column = allowed_.columns(); column-- > 0;) {
      if (row_of_[column] == BitRows::none && allowed_.has(row, column)) {
        row_of_[column] = row;
        return true;
      }
    }
    for (std::size_t column = 0; column < allowed_.columns(); ++column) {
      if (tried_[column] || !allowed_.has(row, column)) continue;
      tried_[column] = true;
      if (find_column(row_of_[column])) {
        row_of_[column] = row;
        return true;
      }
    }
    return false;
  }

  const BitRows& allowed_;
  std::vector<std::size_t> row_of_;  // for each column
  std::vector<bool> tried_;
};

}  // namespace

std::size_t maximum_matching(const BitRows& allowed) { return Matching(allowed).run(); }

}  // namespace quadrille
