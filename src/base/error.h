// SPDX-License-Identifier: BSD-3-Clause
// Failures as values. Exceptions never cross an MPI entry point, so what can fail returns
// Result<T>.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace quadrille {

enum class ErrorKind { invalid_argument, unsupported, timeout, peer_lost, corrupt, system };

const char* name_of(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::invalid_argument;
  std::string message;  // what failed, the value, the next step
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() {
    assert(ok());
    return std::get<T>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<T>(state_);
  }
  // REQUIRES: !ok()
  const Error& error() const {
    assert(!ok());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace quadrille
