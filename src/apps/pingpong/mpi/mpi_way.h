// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own messages as a way.
#pragma once

#include <mpi.h>

#include <vector>

#include "apps/pingpong/way.h"

namespace quadrille::pingpong {

class MpiWay : public Way {
 public:
  explicit MpiWay(int rank) : other_(1 - rank) {}

  bool carries(std::size_t /*bytes*/, std::size_t /*window*/) const override { return true; }
  void send(std::span<const std::byte> message) override;
  void receive(std::span<std::byte> message) override;
  bool complete() override;

 private:
  int other_;
  std::vector<MPI_Request> requests_;
};

}  // namespace quadrille::pingpong
