// SPDX-License-Identifier: BSD-3-Clause
// The calls of UMBC's study of all-to-alls (kernels/sort_size.h), table 4.6, and the sort they are
// of: A. sort_alltoall_int, how many vectors follow; B. sort_alltoallv_int, an int for each vector;
// C. sort_alltoallv_double, the vectors. sort_exchange is A and C in a row, steps (ii) and (iii);
// sort_random sorts random data, with the local sorts (i) and (iv) inside the timed part.
//
// send: `unsorted`, receive: `sorted`; counts and offsets are of elements of the datatype.
#include "apps/bench/mpi/operations_sorting.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "apps/bench/kernels/sort_exchange.h"

namespace quadrille::bench {
namespace {

std::uint64_t sorting_rank(const Call& call) { return static_cast<std::uint64_t>(call.rank); }
std::span<double> doubles_of(std::vector<std::byte>& array) {
  return {reinterpret_cast<double*>(array.data()), array.size() / sizeof(double)};
}
std::span<const double> doubles_of(const std::vector<std::byte>& array) {
  return {reinterpret_cast<const double*>(array.data()), array.size() / sizeof(double)};
}
std::span<int> ints_of(std::vector<std::byte>& array) {
  return {reinterpret_cast<int*>(array.data()), array.size() / sizeof(int)};
}
std::span<const int> ints_of(const std::vector<std::byte>& array) {
  return {reinterpret_cast<const int*>(array.data()), array.size() / sizeof(int)};
}

void set_offsets(const std::vector<int>& counts, std::vector<int>& offsets) {
  offsets.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
}

// Equal blocks of `elements` for everyone.
void prepare_blocks(Call& call, ElementType type, MPI_Datatype datatype, std::uint64_t elements) {
  call.type = type;
  call.datatype = datatype;
  call.count = static_cast<int>(elements);
  call.send_counts.assign(static_cast<std::size_t>(call.ranks), call.count);
  set_offsets(call.send_counts, call.send_offsets);
  call.receive_counts = call.send_counts;
  call.receive_offsets = call.send_offsets;
  call.send.resize(call.block_bytes() * call.send_counts.size());
  call.receive.resize(call.send.size());
}
void prepare_counts(Call& call) { prepare_blocks(call, ElementType::int32, MPI_INT, 1); }
void prepare_ints(Call& call) {
  prepare_blocks(call, ElementType::int32, MPI_INT, call.sort.block_vectors());
}
void prepare_sorted_vectors(Call& call) {
  prepare_blocks(call, ElementType::float64, MPI_DOUBLE,
                 call.sort.block_vectors() * call.sort.doubles);
}

std::uint64_t count_bytes(const SortSize& /*size*/) { return sizeof(int); }
std::uint64_t int_bytes(const SortSize& size) { return size.block_vectors() * sizeof(int); }
std::uint64_t vector_bytes(const SortSize& size) { return size.block_bytes(); }

// Ints stand for keys; by the number of the call none of the call before is taken for one of this.
int int_of(const SortSize& size, std::uint64_t number, std::uint64_t key) {
  constexpr std::uint64_t kPrime = 2'147'483'647;
  return static_cast<int>((number * size.vectors + key) % kPrime);
}
void fill_ints(Call& call, std::uint64_t number) {
  std::uint64_t place = 0;
  for (int& element : ints_of(call.send))
    element = int_of(call.sort, number, sample_key(call.sort, sorting_rank(call), place++));
}
bool check_ints(const Call& call, std::uint64_t number) {
  std::uint64_t key = sorting_rank(call) * call.sort.local_vectors();
  for (const int element : ints_of(call.receive))
    if (element != int_of(call.sort, number, key++)) return false;
  return true;
}
// Counts are the same in every call, so those received are forgotten before.
void fill_counts(Call& call, std::uint64_t /*number*/) {
  std::ranges::fill(ints_of(call.send), static_cast<int>(call.sort.block_vectors()));
  std::ranges::fill(ints_of(call.receive), -1);
}
bool check_counts(const Call& call, std::uint64_t /*number*/) {
  return std::ranges::all_of(ints_of(call.receive), [&](int count) {
    return static_cast<std::uint64_t>(count) == call.sort.block_vectors();
  });
}

template <typename Key>
void fill_keys(Call& call, std::uint64_t number, Key key) {
  const std::size_t doubles = call.sort.doubles;
  const auto array = doubles_of(call.send);
  for (std::uint64_t place = 0; place < call.sort.local_vectors(); ++place)
    write_vector(call.sort, number, key(place), array.subspan(place * doubles, doubles));
}
void fill_sample(Call& call, std::uint64_t number) {
  fill_keys(call, number,
            [&](auto place) { return sample_key(call.sort, sorting_rank(call), place); });
}
void fill_random(Call& call, std::uint64_t number) {
  fill_keys(call, number,
            [&](auto place) { return random_key(call.sort, number, sorting_rank(call), place); });
}
bool check_sorted(const Call& call, std::uint64_t number) {
  return is_sorted_part(call.sort, number, sorting_rank(call), doubles_of(call.receive));
}

template <auto Alltoall>
int exchange_counts(Call& call) {
  return Alltoall(call.send.data(), call.count, call.datatype, call.receive.data(), call.count,
                  call.datatype, call.communicator);
}
template <auto Alltoallv>
int exchange_keys(Call& call) {
  return Alltoallv(call.send.data(), call.send_counts.data(), call.send_offsets.data(),
                   call.datatype, call.receive.data(), call.receive_counts.data(),
                   call.receive_offsets.data(), call.datatype, call.communicator);
}
// Steps (ii) and (iii).
template <auto Alltoall, auto Alltoallv>
int call_exchange(Call& call) {
  std::ranges::fill(call.receive_counts, 0);  // those of the call before are not to be taken
  const int told = Alltoall(call.send_counts.data(), 1, MPI_INT, call.receive_counts.data(), 1,
                            MPI_INT, call.communicator);
  if (told != MPI_SUCCESS) return told;
  set_offsets(call.receive_counts, call.receive_offsets);
  return exchange_keys<Alltoallv>(call);
}
// A vector's first double tells the call it is of.
template <auto Alltoall, auto Alltoallv>
int call_random(Call& call) {
  const auto unsorted = doubles_of(call.send);
  const std::uint64_t number = number_of_call(call.sort, unsorted[0]);
  sort_vectors(call.sort, unsorted);
  call.send_counts = vectors_for_each(call.sort, number, unsorted);
  for (int& count : call.send_counts) count *= static_cast<int>(call.sort.doubles);
  set_offsets(call.send_counts, call.send_offsets);
  const int done = call_exchange<Alltoall, Alltoallv>(call);
  if (done == MPI_SUCCESS) sort_vectors(call.sort, doubles_of(call.receive));
  return done;
}

constexpr const char* kVectors = "a pair of ranks: n/p^2 vectors of m doubles";

}  // namespace

std::vector<Operation> sorting_operations() {
  return {
      {"sort_alltoall_int", "a pair of ranks: one int", Receipt::unrooted, false, false,
       exchange_counts<MPI_Alltoall>, exchange_counts<PMPI_Alltoall>, prepare_counts, fill_counts,
       check_counts, count_bytes},
      {"sort_alltoallv_int", "a pair of ranks: n/p^2 ints", Receipt::unrooted, false, false,
       exchange_keys<MPI_Alltoallv>, exchange_keys<PMPI_Alltoallv>, prepare_ints, fill_ints,
       check_ints, int_bytes},
      {"sort_alltoallv_double", kVectors, Receipt::unrooted, false, false,
       exchange_keys<MPI_Alltoallv>, exchange_keys<PMPI_Alltoallv>, prepare_sorted_vectors,
       fill_sample, check_sorted, vector_bytes},
      {"sort_exchange", kVectors, Receipt::unrooted, false, false,
       call_exchange<MPI_Alltoall, MPI_Alltoallv>, call_exchange<PMPI_Alltoall, PMPI_Alltoallv>,
       prepare_sorted_vectors, fill_sample, check_sorted, vector_bytes},
      {"sort_random", kVectors, Receipt::unrooted, false, false,
       call_random<MPI_Alltoall, MPI_Alltoallv>, call_random<PMPI_Alltoall, PMPI_Alltoallv>,
       prepare_sorted_vectors, fill_random, check_sorted, vector_bytes},
  };
}

}  // namespace quadrille::bench
