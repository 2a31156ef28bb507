// SPDX-License-Identifier: BSD-3-Clause
// Phases that several algorithms have.
#pragma once

#include <cstdint>
#include <functional>

#include "algorithms/traffic/traffic.h"

namespace quadrille {

// Every rank sends `bytes` to the one `distance` places after it on the ring (before it, if
// negative).
Phase ring_shift(Rank ranks, Rank distance, std::uint64_t bytes);

// A binomial tree from `shape.root` down, or up to it; a transfer carries `bytes(child's vrank)`.
Phase binomial_down(const Shape& shape, const std::function<std::uint64_t(Rank)>& bytes);
Phase binomial_up(const Shape& shape, const std::function<std::uint64_t(Rank)>& bytes);

// From the root through all ranks in the order of their vranks, or the same way back to the root.
Phase chain_from_root(const Shape& shape, std::uint64_t piece_bytes, std::uint64_t pieces);
Phase chain_to_root(const Shape& shape, std::uint64_t piece_bytes, std::uint64_t pieces);

// Down the call's hierarchy of trees or up to its root; a transfer carries what `bytes` says of so
// many ranks at and below the child.
Phase hierarchy_down(const TrafficInput& input,
                     const std::function<std::uint64_t(std::uint64_t)>& bytes);
Phase hierarchy_up(const TrafficInput& input,
                   const std::function<std::uint64_t(std::uint64_t)>& bytes);

}  // namespace quadrille
