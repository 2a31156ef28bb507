// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the functions that complete requests: all arguments are addresses, and
// those of each go on as they came.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpi/intercept/completion.h"
#include "mpi/intercept/fortran_binding.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"

namespace quadrille {
namespace {

template <std::size_t>
using Address = void*;

auto list_of(int count, const void* requests) {
  return [count, handles = static_cast<const int*>(requests)] {
    std::vector<MPI_Request> list;
    for (int i = 0; handles != nullptr && i < count; ++i) list.push_back(request_of(handles + i));
    return list;
  };
}

// "mpi_waitany_" -> "mpi_testany_": the function that looks where that one waits.
template <std::size_t length>
consteval SymbolName<length> looking(SymbolName<length> waiting) {
  for (std::size_t i = 0; i + 4 < length; ++i) {
    const bool is_lower = waiting.text[i] == 'w' && waiting.text[i + 1] == 'a';
    const bool is_upper = waiting.text[i] == 'W' && waiting.text[i + 1] == 'A';
    if (is_lower) std::copy_n("test", 4, &waiting.text[i]);
    if (is_upper) std::copy_n("TEST", 4, &waiting.text[i]);
  }
  return waiting;
}

enum class Completes : std::uint8_t { all, any, what_is_done };

// With `arguments` before the error code; a list of requests has its length before it.
template <Completes how, bool is_list, SymbolName symbol, typename Sequence>
struct Completion;

template <Completes how, bool is_list, SymbolName symbol, std::size_t... position>
struct Completion<how, is_list, symbol, std::index_sequence<position...>> {
  static void entry(Address<position>... passed, int* error) {
    void* const arguments[] = {passed...};
    int code = MPI_SUCCESS;
    const auto execute = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(passed..., &code);
      return code;
    };
    if (pending_requests() == nullptr || !fortran_is_readable()) {
      execute();
    } else {
      const auto requests = is_list ? list_of(*static_cast<const int*>(arguments[0]), arguments[1])
                                    : list_of(1, arguments[0]);
      if constexpr (how == Completes::all) {
        code = complete_all(requests, execute);
      } else if constexpr (how == Completes::what_is_done) {
        code = complete_now(requests, execute);
      } else {
        code = complete_any(requests, execute, [&](int* found) { return look(found, passed...); });
      }
    }
    if (error != nullptr) *error = code;
  }

 private:
  static int look(int* found, void* count, void* requests, void* index, void* status) {
    int code = MPI_SUCCESS;
    const auto test_any = reinterpret_cast<void (*)(void*, void*, void*, int*, void*, int*)>(
        next_symbol<looking(symbol)>());
    test_any(count, requests, index, found, status, &code);
    return code;
  }
  static int look(int* found, void* count, void* requests, void* completed, void* indices,
                  void* statuses) {
    int code = MPI_SUCCESS;
    const auto test_some = reinterpret_cast<void (*)(void*, void*, void*, void*, void*, int*)>(
        next_symbol<looking(symbol)>());
    test_some(count, requests, completed, indices, statuses, &code);
    *found = code != MPI_SUCCESS || *static_cast<const int*>(completed) != 0 ? 1 : 0;
    return code;
  }
};

template <Completes how, bool is_list, std::size_t arguments>
struct CompletionOf {
  template <typename, SymbolName symbol>
  using Entry = Completion<how, is_list, symbol, std::make_index_sequence<arguments>>;
};

using Wait = CompletionOf<Completes::all, false, 2>;
using WaitAll = CompletionOf<Completes::all, true, 3>;
using WaitAny = CompletionOf<Completes::any, true, 4>;
using WaitSome = CompletionOf<Completes::any, true, 5>;
using Test = CompletionOf<Completes::what_is_done, false, 3>;
using TestAll = CompletionOf<Completes::what_is_done, true, 4>;
using TestAny = CompletionOf<Completes::what_is_done, true, 5>;
using TestSome = CompletionOf<Completes::what_is_done, true, 5>;

}  // namespace

void add_fortran_completion_symbols(SymbolTable& table) {
  QUADRILLE_ADD_FORTRAN(Wait::Entry, "wait", "WAIT");
  QUADRILLE_ADD_FORTRAN(WaitAll::Entry, "waitall", "WAITALL");
  QUADRILLE_ADD_FORTRAN(WaitAny::Entry, "waitany", "WAITANY");
  QUADRILLE_ADD_FORTRAN(WaitSome::Entry, "waitsome", "WAITSOME");
  QUADRILLE_ADD_FORTRAN(Test::Entry, "test", "TEST");
  QUADRILLE_ADD_FORTRAN(TestAll::Entry, "testall", "TESTALL");
  QUADRILLE_ADD_FORTRAN(TestAny::Entry, "testany", "TESTANY");
  QUADRILLE_ADD_FORTRAN(TestSome::Entry, "testsome", "TESTSOME");
  QUADRILLE_ADD_FORTRAN(Test::Entry, "request_get_status", "REQUEST_GET_STATUS");
}

}  // namespace quadrille
