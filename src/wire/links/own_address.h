// SPDX-License-Identifier: BSD-3-Clause
// Whether the host still has the address that a link sends from. Without it nothing leaves and
// nothing arrives, and no error says so to who only waits; it may come back, as when an interface
// is set up anew.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/units.h"

namespace quadrille::wire {

class OwnAddress {
 public:
  // So long it may be away.
  static constexpr Nanoseconds patience{30'000'000'000};

  // `is_there` asks the system. An address that is not there now, as one of another namespace, is
  // not watched.
  explicit OwnAddress(std::uint32_t address) : OwnAddress(address, asks_system(address)) {}
  OwnAddress(std::uint32_t address, std::function<bool()> is_there);

  // Looks, once a second at most; one line on stderr says that it is gone, and that it has come
  // back. Returns whether it has been gone for longer than `patience`, for good.
  bool is_lost(Nanoseconds now) {
    return lost_ || (watches_ && now - looked_ >= between_looks && look(now));
  }
  // What happened then.
  std::string loss() const;

 private:
  static constexpr Nanoseconds between_looks{1'000'000'000};
  static std::function<bool()> asks_system(std::uint32_t address);
  bool look(Nanoseconds now);

  std::uint32_t address_;
  std::function<bool()> is_there_;
  bool watches_;
  bool gone_ = false;
  bool lost_ = false;
  Nanoseconds looked_{};
  Nanoseconds gone_for_{};
};

}  // namespace quadrille::wire
