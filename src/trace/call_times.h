// SPDX-License-Identifier: BSD-3-Clause
// The time that a rank's program spends in MPI calls, of all kinds, summed up by function, by place
// in the program, by size and by who executed them.
//
// Thread rule: any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace quadrille::trace {

class CallTimes {
 public:
  struct Kind {
    const char* function = "";                 // lasts, as the following
    const char* part = "";                     // of the program's communication: "point-to-point"
    const void* site = nullptr;                // an address in the caller's code
    const std::string* executed_by = nullptr;  // of name()
    std::uint32_t size_class = 0;              // as many bits as the number of bytes has

    auto operator<=>(const Kind&) const = default;
  };
  struct Sum {
    std::uint64_t calls = 0;
    std::int64_t time_ns = 0;
    std::uint64_t bytes = 0;
  };

  // The same for the same text, for as long as this lives.
  const std::string* name(const std::string& text);
  // Sizes within a factor of two are summed up together; `kind.size_class` is set here.
  void add(Kind kind, std::uint64_t bytes, std::int64_t time_ns);
  std::vector<std::pair<Kind, Sum>> sums() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
  std::map<Kind, Sum> sums_;
};

}  // namespace quadrille::trace
