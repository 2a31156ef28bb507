// SPDX-License-Identifier: BSD-3-Clause
// What does not fit into an int is refused with MPI_ERR_COUNT before anything is sent. Counts are
// looked at only where the standard says that they mean something.
#include "mpi/intercept/narrow_counts.h"

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "mpi/intercept/next.h"

namespace quadrille {
namespace {

bool fits(MPI_Count count) {
  return count >= std::numeric_limits<int>::min() && count <= std::numeric_limits<int>::max();
}

int narrow(MPI_Count count) { return static_cast<int>(count); }

int refuse(MPI_Comm comm) {
  PMPI_Comm_call_errhandler(comm, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

int others(MPI_Comm comm) {
  int is_inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return size;
}

bool is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  return is_inter != 0 ? root == MPI_ROOT : root == rank;
}

// Numbers of an array as ints; passes on none where there was none.
class Narrowed {
 public:
  template <typename Number>
  Narrowed(const Number* numbers, int count) {
    if (numbers == nullptr) return;
    ints_.reserve(static_cast<std::size_t>(count) + 1);
    for (int i = 0; i < count; ++i) {
      fit_ = fit_ && fits(numbers[i]);
      ints_.push_back(narrow(numbers[i]));
    }
    ints_.push_back(0);  // so that an empty one has an entry
  }
  bool fit() const { return fit_; }
  const int* data() const { return ints_.empty() ? nullptr : ints_.data(); }

 private:
  std::vector<int> ints_;
  bool fit_ = true;
};

int narrow_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!fits(count)) return refuse(comm);
  return NEXT(MPI_Bcast)(buffer, narrow(count), type, root, comm);
}

int narrow_reduce(const void* send, void* receive, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm) {
  if (!fits(count)) return refuse(comm);
  return NEXT(MPI_Reduce)(send, receive, narrow(count), type, op, root, comm);
}

template <SymbolName older>
int reduction(const void* send, void* receive, MPI_Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  if (!fits(count)) return refuse(comm);
  const auto next = reinterpret_cast<decltype(&PMPI_Allreduce)>(next_symbol<older>());
  return next(send, receive, narrow(count), type, op, comm);
}

// Of a rank's two sides in a call with a root, which mean something: its own block's, and at the
// root all ranks'.
struct Sides {
  bool own = true;
  bool all = true;
};

Sides sides(int root, MPI_Comm comm, const void* own_buffer) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  const bool all = is_root(root, comm);
  if (is_inter != 0) return {.own = !all && root != MPI_PROC_NULL, .all = all};
  return {.own = !all || own_buffer != MPI_IN_PLACE, .all = all};
}

bool fits_if(bool means_something, MPI_Count count) { return !means_something || fits(count); }

template <SymbolName older>
int blocks(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
           MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  if (!fits_if(send != MPI_IN_PLACE, send_count) || !fits(receive_count)) return refuse(comm);
  const auto next = reinterpret_cast<decltype(&PMPI_Allgather)>(next_symbol<older>());
  return next(send, narrow(send_count), send_type, receive, narrow(receive_count), receive_type,
              comm);
}

template <SymbolName older, bool is_gather>
int rooted_blocks(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                  MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Sides mean = sides(root, comm, is_gather ? send : receive);
  if (!fits_if(is_gather ? mean.own : mean.all, send_count) ||
      !fits_if(is_gather ? mean.all : mean.own, receive_count))
    return refuse(comm);
  const auto next = reinterpret_cast<decltype(&PMPI_Gather)>(next_symbol<older>());
  return next(send, narrow(send_count), send_type, receive, narrow(receive_count), receive_type,
              root, comm);
}

int narrow_allgatherv(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                      const MPI_Count* counts, const MPI_Aint* displacements,
                      MPI_Datatype receive_type, MPI_Comm comm) {
  const Narrowed lengths(counts, others(comm));
  const Narrowed places(displacements, others(comm));
  if (!fits_if(send != MPI_IN_PLACE, send_count) || !lengths.fit() || !places.fit())
    return refuse(comm);
  return NEXT(MPI_Allgatherv)(send, narrow(send_count), send_type, receive, lengths.data(),
                              places.data(), receive_type, comm);
}

int narrow_gatherv(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                   const MPI_Count* counts, const MPI_Aint* displacements,
                   MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Sides mean = sides(root, comm, send);
  const int read = mean.all ? others(comm) : 0;
  const Narrowed lengths(counts, read);
  const Narrowed places(displacements, read);
  if (!fits_if(mean.own, send_count) || !lengths.fit() || !places.fit()) return refuse(comm);
  return NEXT(MPI_Gatherv)(send, narrow(send_count), send_type, receive, lengths.data(),
                           places.data(), receive_type, root, comm);
}

int narrow_scatterv(const void* send, const MPI_Count* counts, const MPI_Aint* displacements,
                    MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                    MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Sides mean = sides(root, comm, receive);
  const int read = mean.all ? others(comm) : 0;
  const Narrowed lengths(counts, read);
  const Narrowed places(displacements, read);
  if (!fits_if(mean.own, receive_count) || !lengths.fit() || !places.fit()) return refuse(comm);
  return NEXT(MPI_Scatterv)(send, lengths.data(), places.data(), send_type, receive,
                            narrow(receive_count), receive_type, root, comm);
}

// MPI_Alltoallv and MPI_Alltoallw: `Types` is one type for all blocks, or an array of them.
template <typename Types, SymbolName older>
int alltoall_of_each(const void* send, const MPI_Count* send_counts,
                     const MPI_Aint* send_displacements, Types send_types, void* receive,
                     const MPI_Count* receive_counts, const MPI_Aint* receive_displacements,
                     Types receive_types, MPI_Comm comm) {
  const int size = others(comm);
  const int sent = send == MPI_IN_PLACE ? 0 : size;
  const Narrowed lengths(send_counts, sent);
  const Narrowed places(send_displacements, sent);
  const Narrowed receive_lengths(receive_counts, size);
  const Narrowed receive_places(receive_displacements, size);
  if (!lengths.fit() || !places.fit() || !receive_lengths.fit() || !receive_places.fit())
    return refuse(comm);
  using Older = int (*)(const void*, const int*, const int*, Types, void*, const int*, const int*,
                        Types, MPI_Comm);
  return reinterpret_cast<Older>(next_symbol<older>())(send, lengths.data(), places.data(),
                                                       send_types, receive, receive_lengths.data(),
                                                       receive_places.data(), receive_types, comm);
}

int narrow_reduce_scatter(const void* send, void* receive, const MPI_Count* counts,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const Narrowed lengths(counts, size);
  if (!lengths.fit()) return refuse(comm);
  return NEXT(MPI_Reduce_scatter)(send, receive, lengths.data(), type, op, comm);
}

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* narrow_count_symbol(std::string_view symbol) {
  static const std::map<std::string_view, void*> all{
      {"MPI_Bcast_c", address_of(&narrow_bcast)},
      {"MPI_Reduce_c", address_of(&narrow_reduce)},
      {"MPI_Allreduce_c", address_of(&reduction<"MPI_Allreduce">)},
      {"MPI_Reduce_scatter_block_c", address_of(&reduction<"MPI_Reduce_scatter_block">)},
      {"MPI_Scan_c", address_of(&reduction<"MPI_Scan">)},
      {"MPI_Exscan_c", address_of(&reduction<"MPI_Exscan">)},
      {"MPI_Allgather_c", address_of(&blocks<"MPI_Allgather">)},
      {"MPI_Alltoall_c", address_of(&blocks<"MPI_Alltoall">)},
      {"MPI_Gather_c", address_of(&rooted_blocks<"MPI_Gather", true>)},
      {"MPI_Scatter_c", address_of(&rooted_blocks<"MPI_Scatter", false>)},
      {"MPI_Allgatherv_c", address_of(&narrow_allgatherv)},
      {"MPI_Gatherv_c", address_of(&narrow_gatherv)},
      {"MPI_Scatterv_c", address_of(&narrow_scatterv)},
      {"MPI_Alltoallv_c", address_of(&alltoall_of_each<MPI_Datatype, "MPI_Alltoallv">)},
      {"MPI_Alltoallw_c", address_of(&alltoall_of_each<const MPI_Datatype*, "MPI_Alltoallw">)},
      {"MPI_Reduce_scatter_c", address_of(&narrow_reduce_scatter)},
  };
  const auto found = all.find(symbol);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace quadrille
