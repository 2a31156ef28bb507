// SPDX-License-Identifier: BSD-3-Clause
// What the command line of a program has come to that an MPI launcher starts. Every rank parses
// alike, rank 0 alone prints.
#pragma once

#include <iostream>
#include <string>

namespace quadrille {

template <typename Options>
struct JobOptions {
  Options options{};
  bool run = true;
  int exit_code = 0;  // where not `run`
  std::string text;   // help, or what is wrong

  void print() const { (exit_code == 0 ? std::cout : std::cerr) << text; }
};

}  // namespace quadrille
