// SPDX-License-Identifier: BSD-3-Clause
// The names that error kinds are printed with.
#include "base/error.h"

namespace quadrille {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "invalid argument";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::peer_lost:
      return "peer lost";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::system:
      return "system error";
  }
  return "unknown";
}

}  // namespace quadrille
