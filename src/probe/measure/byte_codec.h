// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as bytes: seven bits a byte, least significant first, so that small numbers are
// short on the network that is being measured. A reader of damaged bytes never reads beyond their
// end and never makes room for more elements than could follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace quadrille::probe {

class ByteWriter {
 public:
  void number(std::uint64_t value);
  void signed_number(std::int64_t value);  // small magnitudes are short
  void text(std::string_view value);
  std::string take() { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// After the first fault every read returns 0 or nothing; `complete` tells at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::uint32_t number32();                    // a fault above 2^32 - 1
  std::uint64_t at_most(std::uint64_t limit);  // a fault above `limit`
  std::int64_t signed_number();
  bool flag() { return at_most(1) == 1; }
  std::string_view text();
  // How many elements follow, each of one byte at least: a fault when the rest is too short.
  std::size_t count() { return static_cast<std::size_t>(at_most(rest_.size())); }

  void fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace quadrille::probe
