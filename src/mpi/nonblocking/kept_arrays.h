// SPDX-License-Identifier: BSD-3-Clause
// Copies of the arrays of a side's blocks, for calls that outlast the program's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "mpi/call/call_arguments.h"

namespace quadrille {

class KeptArrays {
 public:
  // `blocks` refers to the copies from now on. REQUIRES: this outlives `blocks` and stays where it
  // is; `blocks` is of a communicator of `ranks`.
  void keep(UserBlocks& blocks, Rank ranks) {
    if (blocks.neighbours != nullptr) {
      neighbours_ = *blocks.neighbours;
      blocks.neighbours = &neighbours_;
    }
    if (blocks.placing != Placing::by_arrays) return;
    std::size_t length = 0;
    for (Rank block = 0; block < blocks.number(ranks); ++block)
      length = std::max(length, blocks.place(block) + 1);
    const std::size_t count_bytes = blocks.large ? sizeof(MPI_Count) : sizeof(int);
    const std::size_t place_bytes =
        blocks.large || blocks.has_addresses ? sizeof(MPI_Aint) : sizeof(int);
    blocks.counts = copy(blocks.counts, length * count_bytes, counts_);
    blocks.displacements = copy(blocks.displacements, length * place_bytes, displacements_);
  }

 private:
  static const void* copy(const void* array, std::size_t bytes,
                          std::vector<std::max_align_t>& into) {
    if (array == nullptr) return nullptr;
    into.resize(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(into.data(), array, bytes);
    return into.data();
  }

  std::vector<Neighbour> neighbours_;
  std::vector<std::max_align_t> counts_;
  std::vector<std::max_align_t> displacements_;
};

}  // namespace quadrille
