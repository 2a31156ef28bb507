// SPDX-License-Identifier: BSD-3-Clause
#include "trace/call_times.h"

#include <bit>

namespace quadrille::trace {

const std::string* CallTimes::name(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  return &*names_.insert(text).first;
}

void CallTimes::add(Kind kind, std::uint64_t bytes, std::int64_t time_ns) {
  kind.size_class = static_cast<std::uint32_t>(std::bit_width(bytes));
  const std::scoped_lock lock(mutex_);
  Sum& sum = sums_[kind];
  ++sum.calls;
  sum.time_ns += time_ns;
  sum.bytes += bytes;
}

std::vector<std::pair<CallTimes::Kind, CallTimes::Sum>> CallTimes::sums() const {
  const std::scoped_lock lock(mutex_);
  return {sums_.begin(), sums_.end()};
}

}  // namespace quadrille::trace
