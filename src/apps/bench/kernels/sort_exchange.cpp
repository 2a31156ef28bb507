// SPDX-License-Identifier: BSD-3-Clause
// Doubles are whole numbers below 2^53, so that they are exact. A permutation of any number of keys
// is a Feistel network on the next even number of bits, walked until it meets a key (J. Black, P.
// Rogaway, CT-RSA 2002, doi:10.1007/3-540-45760-7_9).
#include "apps/bench/kernels/sort_exchange.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace quadrille::bench {
namespace {

// The finaliser of SplitMix64, as in apps/bench/pattern.cpp.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

std::uint64_t permuted(std::uint64_t key, std::uint64_t keys, std::uint64_t seed) {
  constexpr std::uint64_t kRounds = 4;
  const int half = (std::bit_width(keys - 1) + 1) / 2;
  const std::uint64_t low = (std::uint64_t{1} << half) - 1;
  do {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t right = key & low;
      key = right << half | ((key >> half) ^ (mixed(right + mixed(kRounds * seed + round)) & low));
    }
  } while (key >= keys);
  return key;
}

double first_double(const SortSize& size, std::uint64_t call, std::uint64_t key) {
  return static_cast<double>(call * size.vectors + key + 1);
}

std::uint64_t key_of(const SortSize& size, std::uint64_t call, double first) {
  return static_cast<std::uint64_t>(first) - call * size.vectors - 1;
}

}  // namespace

std::uint64_t sample_key(const SortSize& size, std::uint64_t rank, std::uint64_t place) {
  const std::uint64_t destination = place / size.block_vectors();
  return destination * size.local_vectors() + rank * size.block_vectors() +
         place % size.block_vectors();
}

std::uint64_t random_key(const SortSize& size, std::uint64_t seed, std::uint64_t rank,
                         std::uint64_t place) {
  return permuted(rank * size.local_vectors() + place, size.vectors, seed);
}

void write_vector(const SortSize& size, std::uint64_t call, std::uint64_t key,
                  std::span<double> vector) {
  const double first = first_double(size, call, key);
  for (std::size_t place = 0; place < vector.size(); ++place)
    vector[place] = first * static_cast<double>(place + 1);
}

std::uint64_t number_of_call(const SortSize& size, double first) {
  return (static_cast<std::uint64_t>(first) - 1) / size.vectors;
}

bool is_vector(const SortSize& size, std::uint64_t call, std::uint64_t key,
               std::span<const double> vector) {
  const double first = first_double(size, call, key);
  for (std::size_t place = 0; place < vector.size(); ++place)
    if (vector[place] != first * static_cast<double>(place + 1)) return false;
  return true;
}

void sort_vectors(const SortSize& size, std::span<double> array) {
  const std::size_t m = size.doubles;
  if (m == 1) {
    std::ranges::sort(array);
    return;
  }
  std::vector<std::size_t> from(array.size() / m);  // where the vector of each place is
  std::iota(from.begin(), from.end(), std::size_t{0});
  std::ranges::sort(from, {}, [&](std::size_t vector) { return array[vector * m]; });
  const auto vector_at = [&](std::size_t place) { return array.subspan(place * m, m); };
  std::vector<double> first(m);
  for (std::size_t start = 0; start < from.size(); ++start) {  // cycle by cycle
    if (from[start] == start) continue;
    std::ranges::copy(vector_at(start), first.begin());
    std::size_t place = start;
    while (from[place] != start) {
      std::ranges::copy(vector_at(from[place]), vector_at(place).begin());
      place = std::exchange(from[place], place);
    }
    std::ranges::copy(first, vector_at(place).begin());
    from[place] = place;
  }
}

std::vector<int> vectors_for_each(const SortSize& size, std::uint64_t call,
                                  std::span<const double> array) {
  std::vector<int> counts(size.processes, 0);
  for (std::size_t at = 0; at < array.size(); at += size.doubles)
    ++counts[key_of(size, call, array[at]) / size.local_vectors()];
  return counts;
}

bool is_sorted_part(const SortSize& size, std::uint64_t call, std::uint64_t rank,
                    std::span<const double> array) {
  if (array.size() != size.local_vectors() * size.doubles) return false;
  for (std::uint64_t place = 0; place < size.local_vectors(); ++place) {
    const auto vector = array.subspan(place * size.doubles, size.doubles);
    if (!is_vector(size, call, rank * size.local_vectors() + place, vector)) return false;
  }
  return true;
}

}  // namespace quadrille::bench
