// SPDX-License-Identifier: BSD-3-Clause
// The C entries of the functions that complete requests.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi/intercept/completion.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"

namespace quadrille {
namespace {

// None for arguments that are errors: the MPI library reports those.
auto list_of(int count, const MPI_Request* requests) {
  return [count, requests] {
    const std::size_t length =
        requests == nullptr ? 0 : static_cast<std::size_t>(std::max(count, 0));
    return std::vector<MPI_Request>(requests, requests + length);
  };
}

template <bool profiling>
int wait(MPI_Request* request, MPI_Status* status) {
  return complete_all(list_of(1, request),
                      [&] { return NEXT_OF(profiling, MPI_Wait)(request, status); });
}

template <bool profiling>
int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return complete_all(list_of(count, requests),
                      [&] { return NEXT_OF(profiling, MPI_Waitall)(count, requests, statuses); });
}

template <bool profiling>
int wait_any(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return complete_any(
      list_of(count, requests),
      [&] { return NEXT_OF(profiling, MPI_Waitany)(count, requests, index, status); },
      [&](int* found) {
        return NEXT_OF(profiling, MPI_Testany)(count, requests, index, found, status);
      });
}

template <bool profiling>
int wait_some(int count, MPI_Request requests[], int* completed, int indices[],
              MPI_Status statuses[]) {
  return complete_any(
      list_of(count, requests),
      [&] {
        return NEXT_OF(profiling, MPI_Waitsome)(count, requests, completed, indices, statuses);
      },
      [&](int* found) {
        const int code =
            NEXT_OF(profiling, MPI_Testsome)(count, requests, completed, indices, statuses);
        *found = code != MPI_SUCCESS || *completed != 0 ? 1 : 0;
        return code;
      });
}

template <bool profiling>
int test(MPI_Request* request, int* flag, MPI_Status* status) {
  return complete_now(list_of(1, request),
                      [&] { return NEXT_OF(profiling, MPI_Test)(request, flag, status); });
}

template <bool profiling>
int test_all(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return complete_now(list_of(count, requests), [&] {
    return NEXT_OF(profiling, MPI_Testall)(count, requests, flag, statuses);
  });
}

template <bool profiling>
int test_any(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return complete_now(list_of(count, requests), [&] {
    return NEXT_OF(profiling, MPI_Testany)(count, requests, index, flag, status);
  });
}

template <bool profiling>
int test_some(int count, MPI_Request requests[], int* completed, int indices[],
              MPI_Status statuses[]) {
  return complete_now(list_of(count, requests), [&] {
    return NEXT_OF(profiling, MPI_Testsome)(count, requests, completed, indices, statuses);
  });
}

template <bool profiling>
int request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return complete_now(list_of(1, &request), [&] {
    return NEXT_OF(profiling, MPI_Request_get_status)(request, flag, status);
  });
}

}  // namespace

void add_completion_symbols(SymbolTable& table) {
#define ADD(symbol, function)                                 \
  table[#symbol] = reinterpret_cast<void*>(&function<false>); \
  table["P" #symbol] = reinterpret_cast<void*>(&function<true>)
  ADD(MPI_Wait, wait);
  ADD(MPI_Waitall, wait_all);
  ADD(MPI_Waitany, wait_any);
  ADD(MPI_Waitsome, wait_some);
  ADD(MPI_Test, test);
  ADD(MPI_Testall, test_all);
  ADD(MPI_Testany, test_any);
  ADD(MPI_Testsome, test_some);
  ADD(MPI_Request_get_status, request_get_status);
#undef ADD
}

}  // namespace quadrille
