// SPDX-License-Identifier: BSD-3-Clause
// The entries of the functions that start and free persistent requests, in C and Fortran: what they
// do with those of collectives of ours, see NonblockingRequests. Where the process has none they go
// on to the next definition at once.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "mpi/intercept/fortran_binding.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"
#include "mpi/nonblocking/nonblocking_requests.h"

namespace quadrille {
namespace {

// Null where `request` is not ours.
NonblockingRequests* owner_of(MPI_Request request) {
  if (!NonblockingRequests::has_any_persistent()) return nullptr;
  const Runtime* const runtime = Runtime::active();
  NonblockingRequests* const ours = runtime == nullptr ? nullptr : runtime->nonblocking();
  return ours != nullptr && ours->is_persistent(request) ? ours : nullptr;
}

// The MPI error code; nothing where the request is not ours.
std::optional<int> start_ours(MPI_Request request) {
  NonblockingRequests* const ours = owner_of(request);
  return ours == nullptr ? std::nullopt : std::optional(ours->start_persistent(request));
}

std::optional<int> free_ours(MPI_Request* request) {
  NonblockingRequests* const ours = owner_of(*request);
  return ours == nullptr ? std::nullopt : std::optional(ours->free_persistent(request));
}

// `all()` starts all of `requests` where none is ours, `one(request)` one that is not.
template <typename All, typename One>
int start_each(std::span<MPI_Request> requests, const All& all, const One& one) {
  if (std::ranges::none_of(requests, [](MPI_Request request) { return owner_of(request); }))
    return all();
  for (MPI_Request& request : requests) {
    const auto ours = start_ours(request);
    if (const int code = ours ? *ours : one(request); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

template <bool profiling>
int start(MPI_Request* request) {
  if (request != nullptr) {
    if (const auto code = start_ours(*request)) return *code;
  }
  return NEXT_OF(profiling, MPI_Start)(request);
}

template <bool profiling>
int start_all(int count, MPI_Request requests[]) {
  return start_each(
      {requests, requests == nullptr ? 0 : static_cast<std::size_t>(std::max(count, 0))},
      [&] { return NEXT_OF(profiling, MPI_Startall)(count, requests); },
      [](MPI_Request& request) { return NEXT_OF(profiling, MPI_Start)(&request); });
}

template <bool profiling>
int request_free(MPI_Request* request) {
  if (request != nullptr) {
    if (const auto code = free_ours(request)) return *code;
  }
  return NEXT_OF(profiling, MPI_Request_free)(request);
}

bool may_be_ours() { return NonblockingRequests::has_any_persistent() && fortran_is_readable(); }

// `error` may be null in mpi_f08.
void tell(int* error, int code) {
  if (error != nullptr) *error = code;
}

template <typename Binding, SymbolName symbol>
struct Start {
  static void entry(int* request, int* error) {
    if (may_be_ours()) {
      if (const auto code = start_ours(request_of(request))) return tell(error, *code);
    }
    reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(request, error);
  }
};

template <typename Binding, SymbolName symbol>
struct StartAll {
  static void entry(Integer count, int* requests, int* error) {
    int code = MPI_SUCCESS;
    const auto all = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(count, requests, &code);
      return code;
    };
    if (!may_be_ours()) {
      all();
      return tell(error, code);
    }
    try {
      std::vector<MPI_Request> in_c;
      for (int i = 0; i < *count; ++i) in_c.push_back(request_of(requests + i));
      // A request that is started stays the same.
      code = start_each(in_c, all, [](MPI_Request& request) { return PMPI_Start(&request); });
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
      PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    }
    tell(error, code);
  }
};

template <typename Binding, SymbolName symbol>
struct RequestFree {
  static void entry(int* request, int* error) {
    if (may_be_ours()) {
      MPI_Request in_c = request_of(request);
      if (const auto code = free_ours(&in_c)) {
        *request = fortran_request_of(in_c);
        return tell(error, *code);
      }
    }
    reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(request, error);
  }
};

}  // namespace

void add_request_symbols(SymbolTable& table) {
#define ADD(symbol, function)                                 \
  table[#symbol] = reinterpret_cast<void*>(&function<false>); \
  table["P" #symbol] = reinterpret_cast<void*>(&function<true>)
  ADD(MPI_Start, start);
  ADD(MPI_Startall, start_all);
  ADD(MPI_Request_free, request_free);
#undef ADD
  QUADRILLE_ADD_FORTRAN(Start, "start", "START");
  QUADRILLE_ADD_FORTRAN(StartAll, "startall", "STARTALL");
  QUADRILLE_ADD_FORTRAN(RequestFree, "request_free", "REQUEST_FREE");
}

}  // namespace quadrille
