// SPDX-License-Identifier: BSD-3-Clause
// What the solvers are told on their command line: which of them solves what.
#pragma once

#include <array>
#include <string>

#include "apps/job_options.h"

namespace quadrille::solvers {

// `computing_ns`: that of the whole problem on one processor, by phases; zeros: not paced.
struct Poisson {
  int length = 48;     // elements along an edge of the cube
  double goal = 1e-6;  // residual over what it was
  int most_iterations = 10'000;
  std::array<double, 3> computing_ns{};  // of an iteration
};

struct Diagonalisation {
  int order = 256;
  std::array<double, 3> computing_ns{};  // of all steps together; the third is unused
};

// Of a Fourier transform from plane waves to a grid and back the all-to-alls alone are timed.
struct Transposition {
  int length = 128;    // points along an edge of the grid, a power of 2
  double radius = 31;  // of the sphere of plane waves
  int repeated = 5;
};

struct SolverOptions {
  std::string solver;  // poisson, diagonalisation or transposition
  Poisson poisson;
  Diagonalisation diagonalisation;
  Transposition transposition;
};

JobOptions<SolverOptions> parse_solver_options(int argc, const char* const* argv);

}  // namespace quadrille::solvers
