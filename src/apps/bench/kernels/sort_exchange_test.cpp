// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/kernels/sort_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace quadrille::bench {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using Arrays = std::vector<std::vector<double>>;  // [processes]

constexpr std::uint64_t kCall = 3;

template <typename Key>
Arrays unsorted(const SortSize& size, std::uint64_t call, Key key) {
  Arrays arrays(size.processes);
  for (std::uint64_t rank = 0; rank < size.processes; ++rank) {
    arrays[rank].resize(size.local_vectors() * size.doubles);
    for (std::uint64_t place = 0; place < size.local_vectors(); ++place) {
      write_vector(size, call, key(rank, place),
                   std::span(arrays[rank]).subspan(place * size.doubles, size.doubles));
    }
  }
  return arrays;
}

Arrays sample_arrays(const SortSize& size, std::uint64_t call) {
  return unsorted(size, call, [&](auto rank, auto place) { return sample_key(size, rank, place); });
}

Arrays random_arrays(const SortSize& size, std::uint64_t seed) {
  return unsorted(size, kCall,
                  [&](auto rank, auto place) { return random_key(size, seed, rank, place); });
}

// What MPI_Alltoallv does with arrays of which vectors_for_each() tells the counts.
Arrays exchanged(const SortSize& size, std::uint64_t call, const Arrays& from) {
  Arrays to(size.processes);
  for (const auto& array : from) {
    std::size_t at = 0;
    const auto counts = vectors_for_each(size, call, array);
    for (std::size_t rank = 0; rank < to.size(); ++rank) {
      const std::size_t doubles = static_cast<std::size_t>(counts[rank]) * size.doubles;
      to[rank].insert(to[rank].end(), array.begin() + static_cast<std::ptrdiff_t>(at),
                      array.begin() + static_cast<std::ptrdiff_t>(at + doubles));
      at += doubles;
    }
  }
  return to;
}

TEST(SortExchange, the_papers_matrices_of_48_numbers_on_4_processes) {
  const SortSize size = sort_size(48, 1, 4).value();
  const Arrays before = sample_arrays(size, 0);
  EXPECT_THAT(before[0], ElementsAre(1, 2, 3, 13, 14, 15, 25, 26, 27, 37, 38, 39));
  EXPECT_THAT(before[1], ElementsAre(4, 5, 6, 16, 17, 18, 28, 29, 30, 40, 41, 42));
  EXPECT_THAT(before[2], ElementsAre(7, 8, 9, 19, 20, 21, 31, 32, 33, 43, 44, 45));
  EXPECT_THAT(before[3], ElementsAre(10, 11, 12, 22, 23, 24, 34, 35, 36, 46, 47, 48));
  const Arrays after = exchanged(size, 0, before);
  for (std::size_t rank = 0; rank < after.size(); ++rank) {
    std::vector<double> row(12);
    std::iota(row.begin(), row.end(), 1.0 + 12.0 * static_cast<double>(rank));
    EXPECT_THAT(after[rank], ElementsAreArray(row));
  }
}

TEST(SortExchange, sample_data_need_no_sort_on_any_number_of_processes) {
  for (std::uint64_t processes = 1; processes <= 33; ++processes) {
    const SortSize size = sort_size(3 * processes * processes, 2, processes).value();
    const Arrays before = sample_arrays(size, kCall);
    for (const auto& array : before) {
      EXPECT_THAT(vectors_for_each(size, kCall, array), testing::Each(3));
      auto sorted = array;
      sort_vectors(size, sorted);
      EXPECT_EQ(sorted, array);
    }
    const Arrays after = exchanged(size, kCall, before);
    for (std::uint64_t rank = 0; rank < processes; ++rank)
      EXPECT_TRUE(is_sorted_part(size, kCall, rank, after[rank])) << rank << " of " << processes;
  }
}

TEST(SortExchange, random_data_are_sorted_by_all_four_steps) {
  for (const std::uint64_t doubles : {1U, 3U}) {
    for (const std::uint64_t processes : {1U, 2U, 5U, 8U}) {
      const SortSize size = sort_size(4 * processes * processes, doubles, processes).value();
      Arrays arrays = random_arrays(size, processes);
      for (auto& array : arrays) sort_vectors(size, array);
      arrays = exchanged(size, kCall, arrays);
      for (std::uint64_t rank = 0; rank < processes; ++rank) {
        sort_vectors(size, arrays[rank]);
        EXPECT_TRUE(is_sorted_part(size, kCall, rank, arrays[rank])) << rank << " of " << processes;
      }
    }
  }
}

TEST(SortExchange, random_data_are_another_permutation_for_each_seed) {
  const SortSize size = sort_size(1000, 1, 10).value();
  std::vector<std::vector<std::uint64_t>> found(2);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    for (std::uint64_t rank = 0; rank < 10; ++rank)
      for (std::uint64_t place = 0; place < 100; ++place)
        found[seed].push_back(random_key(size, seed, rank, place));
  }
  EXPECT_NE(found[0], found[1]);
  const auto in_place = std::ranges::count_if(
      found[0], [&, place = std::uint64_t{0}](auto key) mutable { return key == place++; });
  EXPECT_LT(in_place, 20) << "of 1000, where one is expected";
  for (auto& keys : found) {
    std::ranges::sort(keys);
    for (std::uint64_t key = 0; key < 1000; ++key) ASSERT_EQ(keys[key], key);
  }
}

TEST(SortExchange, every_single_wrong_double_is_noticed) {
  const SortSize size = sort_size(36, 3, 3).value();
  const Arrays right = exchanged(size, kCall, sample_arrays(size, kCall));
  for (std::size_t at = 0; at < right[1].size(); ++at) {
    auto wrong = right[1];
    wrong[at] += 1;
    EXPECT_FALSE(is_sorted_part(size, kCall, 1, wrong)) << at;
  }
  auto shorter = right[1];
  shorter.resize(shorter.size() - 3);
  EXPECT_FALSE(is_sorted_part(size, kCall, 1, shorter));
}

TEST(SortExchange, a_vector_tells_its_call) {
  const SortSize size = sort_size(36, 2, 3).value();
  for (const std::uint64_t key : {0U, 1U, 35U}) {
    std::vector<double> vector(2);
    write_vector(size, kCall, key, vector);
    EXPECT_EQ(number_of_call(size, vector[0]), kCall);
  }
}

TEST(SortExchange, data_of_another_process_or_call_are_noticed) {
  const SortSize size = sort_size(36, 3, 3).value();
  const Arrays right = exchanged(size, kCall, sample_arrays(size, kCall));
  EXPECT_FALSE(is_sorted_part(size, kCall, 0, right[1]));
  EXPECT_FALSE(is_sorted_part(size, kCall + 1, 1, right[1]));
}

}  // namespace
}  // namespace quadrille::bench
