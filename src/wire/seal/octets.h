// SPDX-License-Identifier: BSD-3-Clause
// Bytes as the cryptographic libraries take them.
#pragma once

#include <cstddef>

namespace quadrille::wire {

inline const unsigned char* octets_of(const std::byte* data) {
  return reinterpret_cast<const unsigned char*>(data);
}
inline unsigned char* octets_of(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

}  // namespace quadrille::wire
