// SPDX-License-Identifier: BSD-3-Clause
// Patterns from the SplitMix64 finaliser (G. Steele et al., OOPSLA 2014,
// doi:10.1145/2660193.2660195).
#include "apps/bench/pattern.h"

#include <cstring>

namespace quadrille::bench {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

std::uint32_t base(std::uint64_t call_key, std::size_t index) {
  return static_cast<std::uint32_t>((call_key + index * kGolden) >> 56);
}

template <typename Element>
Element element(std::uint64_t call_key, std::size_t index, std::uint32_t weight) {
  if constexpr (sizeof(Element) == 1) return static_cast<Element>(weight & base(call_key, index));
  return static_cast<Element>(weight * base(call_key, index));
}

template <typename Element>
void fill_typed(std::byte* data, std::size_t first, std::size_t elements, std::uint64_t call_key,
                std::uint32_t weight) {
  for (std::size_t index = 0; index < elements; ++index) {
    const auto value = element<Element>(call_key, first + index, weight);
    std::memcpy(data + index * sizeof(Element), &value, sizeof value);
  }
}

template <typename Element>
bool typed_holds(const std::byte* data, std::size_t first, std::size_t elements,
                 std::uint64_t call_key, std::uint32_t weight) {
  for (std::size_t index = 0; index < elements; ++index) {
    const auto value = element<Element>(call_key, first + index, weight);
    Element found{};
    std::memcpy(&found, data + index * sizeof(Element), sizeof found);
    if (found != value) return false;
  }
  return true;
}

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::byte:
      return 1;
    case ElementType::int32:
      return 4;
    case ElementType::float64:
      return 8;
  }
  return 0;
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::byte:
      return "byte";
    case ElementType::int32:
      return "int";
    case ElementType::float64:
      return "double";
  }
  return "";
}

std::uint64_t block_key(std::uint64_t call, std::uint64_t source, std::uint64_t destination) {
  return mixed(mixed(mixed(call + kGolden) + source) + destination);
}

void fill_block(std::byte* block, std::size_t bytes, std::uint64_t key) {
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8, key += kGolden) std::memcpy(block + at, &key, 8);
  if (at < bytes) std::memcpy(block + at, &key, bytes - at);
}

bool block_holds(const std::byte* block, std::size_t bytes, std::uint64_t key) {
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8, key += kGolden) {
    if (std::memcmp(block + at, &key, 8) != 0) return false;
  }
  return at == bytes || std::memcmp(block + at, &key, bytes - at) == 0;
}

std::uint32_t rank_weight(ElementType type, std::uint32_t rank) {
  const std::uint64_t bits = mixed(rank + kGolden);
  return type == ElementType::byte ? static_cast<std::uint32_t>(bits & 0xff)
                                   : 1 + static_cast<std::uint32_t>(bits % 1022);
}

std::uint32_t combined_weight(ElementType type, std::uint32_t count) {
  std::uint32_t weight = 0;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::uint32_t own = rank_weight(type, rank);
    weight = type == ElementType::byte ? weight ^ own : weight + own;
  }
  return weight;
}

void fill_reducible(std::byte* data, std::size_t first, std::size_t elements, ElementType type,
                    std::uint64_t call, std::uint32_t weight) {
  const std::uint64_t key = mixed(call + kGolden);
  if (type == ElementType::byte) fill_typed<std::uint8_t>(data, first, elements, key, weight);
  if (type == ElementType::int32) fill_typed<std::int32_t>(data, first, elements, key, weight);
  if (type == ElementType::float64) fill_typed<double>(data, first, elements, key, weight);
}

bool reducible_holds(const std::byte* data, std::size_t first, std::size_t elements,
                     ElementType type, std::uint64_t call, std::uint32_t weight) {
  const std::uint64_t key = mixed(call + kGolden);
  if (type == ElementType::byte)
    return typed_holds<std::uint8_t>(data, first, elements, key, weight);
  if (type == ElementType::int32)
    return typed_holds<std::int32_t>(data, first, elements, key, weight);
  return typed_holds<double>(data, first, elements, key, weight);
}

}  // namespace quadrille::bench
