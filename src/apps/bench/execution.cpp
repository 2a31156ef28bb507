// SPDX-License-Identifier: BSD-3-Clause
// The symbol is looked up at run time, because the kernel also runs without the library.
#include "apps/bench/execution.h"

#include <dlfcn.h>

#include <array>

namespace quadrille::bench {
namespace {

// Value of `key`, up to the next " name=" or the end.
std::string value_of(std::string_view text, std::string_view key) {
  const auto found = text.find(key);
  if (found == std::string_view::npos) return {};
  std::string_view value = text.substr(found + key.size());
  for (const std::string_view next : {" executor=", " algorithm=", " reason="})
    value = value.substr(0, value.find(next));
  return std::string(value);
}

}  // namespace

Execution parse_execution(std::string_view text) {
  Execution execution;
  execution.executor = value_of(text, "executor=");
  execution.algorithm = value_of(text, "algorithm=");
  execution.reason = value_of(text, "reason=");
  return execution;
}

ExecutionSource::ExecutionSource()
    : ask_(reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "quadrille_last_execution"))) {}

Execution ExecutionSource::latest() const {
  if (ask_ == nullptr) return {.executor = "mpi", .algorithm = "", .reason = "library not loaded"};
  std::array<char, 512> text{};
  const int length = ask_(text.data(), static_cast<int>(text.size()));
  if (length < 0) return {.executor = "mpi", .algorithm = "", .reason = "not intercepted"};
  return parse_execution(text.data());
}

}  // namespace quadrille::bench
