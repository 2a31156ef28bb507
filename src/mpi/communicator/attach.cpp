// SPDX-License-Identifier: BSD-3-Clause
// Where the preloaded shim meets this core library.
#include <algorithm>
#include <cstring>
#include <string>

#include "mpi/call/last_execution.h"
#include "mpi/intercept/narrow_counts.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"
#include "preload/core.h"

namespace quadrille {
namespace {

void* (*next_lookup)(const char*) = nullptr;

void* implementation(const char* symbol) {
  static const SymbolTable table = [] {
    SymbolTable symbols;
    add_lifecycle_symbols(symbols);
    add_collective_symbols(symbols);
    add_nonblocking_symbols(symbols);
    add_persistent_symbols(symbols);
    add_request_symbols(symbols);
    add_completion_symbols(symbols);
    add_topology_symbols(symbols);
    add_fortran_lifecycle_symbols(symbols);
    add_fortran_collective_symbols(symbols);
    add_fortran_completion_symbols(symbols);
    add_fortran_topology_symbols(symbols);
    return symbols;
  }();
  const auto found = table.find(symbol);
  return found == table.end() ? nullptr : found->second;
}

int write_last_execution(char* text, int size) {
  if (last_execution.count == 0) return -1;
  std::string line =
      last_execution.by_library
          ? std::string("executor=mpi reason=") + last_execution.reason
          : std::string("executor=quadrille algorithm=") + last_execution.algorithm.data();
  if (const auto& flows = last_execution.flows) {
    line += " packets=" + std::to_string(flows->packets) +
            " bytes=" + std::to_string(flows->bytes) + " resent=" + std::to_string(flows->resent) +
            " credit_wait_ns=" + std::to_string(flows->credit_wait.value) +
            " stalls=" + std::to_string(flows->stalls);
  }
  if (size > 0) {
    const std::size_t length = std::min(line.size(), static_cast<std::size_t>(size) - 1);
    std::memcpy(text, line.data(), length);
    text[length] = '\0';
  }
  return static_cast<int>(line.size());
}

TimedCalls* timed_calls() {
  const Runtime* const runtime = Runtime::active();
  return runtime == nullptr ? nullptr : runtime->timed_calls();
}

void timed_begin(quadrille_timed_call* call) {
  if (TimedCalls* const calls = timed_calls()) calls->begin(*call);
}

void timed_end(quadrille_timed_call* call, int code) {
  if (TimedCalls* const calls = timed_calls()) calls->end(*call, code);
}

constexpr quadrille_core this_core{implementation, write_last_execution, timed_begin, timed_end};

}  // namespace

void set_next_symbol_lookup(void* (*lookup)(const char* symbol)) { next_lookup = lookup; }

void* look_up_next_symbol(const char* symbol) {
  void* found = next_lookup(symbol);
  return found != nullptr ? found : narrow_count_symbol(symbol);
}

}  // namespace quadrille

extern "C" __attribute__((visibility("default"))) const quadrille_core* quadrille_core_attach(
    const quadrille_shim* shim) {
  if (shim->version != QUADRILLE_CORE_VERSION) return nullptr;
  quadrille::set_next_symbol_lookup(shim->next);
  return &quadrille::this_core;
}
