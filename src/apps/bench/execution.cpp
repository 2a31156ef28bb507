// SPDX-License-Identifier: BSD-3-Clause
// The symbol is looked up at run time, because the kernel also runs without the library.
#include "apps/bench/execution.h"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdint>

namespace quadrille::bench {
namespace {

constexpr std::array<std::string_view, 8> kKeys{
    "executor", "algorithm", "reason", "packets", "bytes", "resent", "credit_wait_ns", "stalls"};

// Behind " key=", up to the next of them or the end: parameters of an algorithm are named too.
std::string value_of(std::string_view text, std::string_view key) {
  const std::string whole = " " + std::string(text);
  const std::string wanted = " " + std::string(key) + "=";
  const auto found = whole.find(wanted);
  if (found == std::string::npos) return {};
  std::string value = whole.substr(found + wanted.size());
  for (const std::string_view next : kKeys)
    value = value.substr(0, value.find(" " + std::string(next) + "="));
  return value;
}

std::uint64_t number_of(std::string_view text, std::string_view key) {
  const std::string digits = value_of(text, key);
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

LatestCall parse_latest_call(std::string_view text) {
  LatestCall call;
  call.execution = {.executor = value_of(text, "executor"),
                    .algorithm = value_of(text, "algorithm"),
                    .reason = value_of(text, "reason")};
  if (!call.execution.reason.empty()) return call;  // it may hold any words
  call.flows = {.packets = number_of(text, "packets"),
                .bytes = number_of(text, "bytes"),
                .resent = number_of(text, "resent"),
                .credit_wait = {static_cast<std::int64_t>(number_of(text, "credit_wait_ns"))},
                .stalls = number_of(text, "stalls")};
  return call;
}

LatestCall as_one_call(const std::vector<LatestCall>& calls) {
  LatestCall one = calls.front();
  for (std::size_t at = 1; at < calls.size(); ++at) {
    const Execution& next = calls[at].execution;
    one.flows += calls[at].flows;
    if (one.execution.executor != "quadrille") continue;
    if (next.executor != "quadrille") {
      one.execution = next;
    } else if (next.algorithm != calls[at - 1].execution.algorithm) {
      one.execution.algorithm += "+" + next.algorithm;
    }
  }
  return one;
}

ExecutionSource::ExecutionSource()
    : ask_(reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "quadrille_last_execution"))) {}

LatestCall ExecutionSource::latest() const {
  const auto left = [](const char* reason) {
    return LatestCall{.execution = {.executor = "mpi", .algorithm = "", .reason = reason}};
  };
  if (ask_ == nullptr) return left("library not loaded");
  std::array<char, 512> text{};
  const int length = ask_(text.data(), static_cast<int>(text.size()));
  if (length < 0) return left("not intercepted");
  return parse_latest_call(text.data());
}

}  // namespace quadrille::bench
