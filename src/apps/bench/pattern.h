// SPDX-License-Identifier: BSD-3-Clause
// The data benchmark calls carry. Every byte depends on the number of the call, its source and its
// destination, so that a result left over from an earlier call, or one taken from the wrong rank,
// is noticed. Reductions get data whose exact result every rank can compute alone in O(1) an
// element.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quadrille::bench {

enum class ElementType : std::uint8_t { byte, int32, float64 };
std::size_t size_of(ElementType type);
const char* name_of(ElementType type);

// What one block of moved data is: from which rank to which in which call.
std::uint64_t block_key(std::uint64_t call, std::uint64_t source, std::uint64_t destination);
void fill_block(std::byte* block, std::size_t bytes, std::uint64_t key);
bool block_holds(const std::byte* block, std::size_t bytes, std::uint64_t key);

// Reduction data: element i of a rank is weight(rank) * base(call, i), or `&` in place of `*` for
// bytes, which are combined by exclusive or. So the result over several ranks is combined_weight *
// base. Sums stay exact: weights are below 2^10 and bases below 2^8, which leaves int32 room for
// 2^12 ranks.
std::uint32_t rank_weight(ElementType type, std::uint32_t rank);
// Weight of ranks 0 .. count - 1 together.
std::uint32_t combined_weight(ElementType type, std::uint32_t count);
void fill_reducible(std::byte* data, std::size_t first, std::size_t elements, ElementType type,
                    std::uint64_t call, std::uint32_t weight);
bool reducible_holds(const std::byte* data, std::size_t first, std::size_t elements,
                     ElementType type, std::uint64_t call, std::uint32_t weight);

}  // namespace quadrille::bench
