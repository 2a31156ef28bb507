// SPDX-License-Identifier: BSD-3-Clause
// What one process has and does in a parallel sort whose processes exchange everything at once: P.
// S. Pacheco, Parallel Programming with MPI, 1997, chapter 10, as UMBC's study uses it
// (kernels/sort_size.h). Keys are 0 .. n-1, each once; afterwards process r has n/p of them from
// r n/p on, in order. A vector's first double tells its key, all of them key, place and call.
//
// Sample data: sorted locally already, an equal block for each process; neither sort is needed.
// Random data: a permutation of the keys, so that blocks differ and both sorts are. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/bench/kernels/sort_size.h"

namespace quadrille::bench {

// The key at `place` of what process `rank` has at the beginning.
std::uint64_t sample_key(const SortSize& size, std::uint64_t rank, std::uint64_t place);
// The same of random data; another permutation for each seed.
std::uint64_t random_key(const SortSize& size, std::uint64_t seed, std::uint64_t rank,
                         std::uint64_t place);

// The vector with `key` in call `call`. REQUIRES: vector.size() == size.doubles
void write_vector(const SortSize& size, std::uint64_t call, std::uint64_t key,
                  std::span<double> vector);
// The call of a vector, by its first double.
std::uint64_t number_of_call(const SortSize& size, double first);
bool is_vector(const SortSize& size, std::uint64_t call, std::uint64_t key,
               std::span<const double> vector);

// Sorts vectors in place by their first doubles.
// REQUIRES: array.size() is a multiple of size.doubles
void sort_vectors(const SortSize& size, std::span<double> array);

// How many of a process's vectors, which are sorted, each process is to get.
std::vector<int> vectors_for_each(const SortSize& size, std::uint64_t call,
                                  std::span<const double> array);

// Whether `array` is what process `rank` has to have at the end, element by element.
bool is_sorted_part(const SortSize& size, std::uint64_t call, std::uint64_t rank,
                    std::span<const double> array);

}  // namespace quadrille::bench
