// SPDX-License-Identifier: BSD-3-Clause
// Random messages and collectives whose contents are verified. All ranks draw the same numbers, so
// that each knows what all do.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace quadrille::soak {

class Traffic {
 public:
  explicit Traffic(std::uint64_t seed);

  // One exchange that all ranks take part in.
  void exchange();

  std::uint64_t calls() const { return calls_; }  // of this rank: messages sent and collectives
  std::uint64_t wrong() const { return wrong_; }  // bytes or sums that were not what they had to be

 private:
  static constexpr int most_messages = 8;

  std::size_t draw_length(std::size_t most);
  std::uint64_t draw(std::uint64_t below);
  void messages();
  void broadcast();
  void sum();
  void all_to_all();
  void gather_to_all();
  void fill(std::span<std::byte> bytes, int from, int to) const;
  void check(std::span<const std::byte> bytes, int from, int to);

  std::mt19937_64 chance_;
  int rank_ = 0;
  int ranks_ = 1;
  std::uint64_t number_ = 0;  // of the exchange
  std::uint64_t calls_ = 0;
  std::uint64_t wrong_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

}  // namespace quadrille::soak
