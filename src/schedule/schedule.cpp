// SPDX-License-Identifier: BSD-3-Clause
// Division of regions and the names of step kinds and buffers.
#include "schedule/schedule.h"

#include <algorithm>
#include <array>

namespace quadrille {
namespace {

// How much shorter the first of so many segments is: at most a sixteenth, and rarely the same for a
// number and its multiples, therefore a remainder by a prime.
std::uint64_t mark_of(std::uint64_t segments, std::uint64_t shortest) {
  constexpr std::array<std::uint64_t, 6> primes = {61, 31, 13, 7, 3, 2};
  for (const std::uint64_t prime : primes) {
    if (prime <= shortest / 16 + 1) return segments % prime;
  }
  return 0;
}

}  // namespace

Region Region::part(std::uint64_t index, std::uint64_t parts) const {
  const std::uint64_t shorter = length / parts;
  const std::uint64_t longer_parts = length % parts;
  return {buffer, offset + index * shorter + std::min(index, longer_parts),
          shorter + (index < longer_parts ? 1 : 0)};
}

Region Region::segment(std::uint64_t index, std::uint64_t segments) const {
  Region found = part(index, segments);
  const std::uint64_t mark = mark_of(segments, length / segments);
  if (index > 0) {
    found.offset -= mark;
    found.length += mark;
  }
  if (index + 1 < segments) found.length -= mark;
  return found;
}

std::uint64_t Region::longest_segment(std::uint64_t segments) const {
  return std::max(part(0, segments).length, segment(segments - 1, segments).length);
}

Region Region::parts(std::uint64_t first, std::uint64_t end, std::uint64_t parts) const {
  const std::uint64_t begin_offset = first < parts ? part(first, parts).offset : offset + length;
  const std::uint64_t end_offset = end < parts ? part(end, parts).offset : offset + length;
  return {buffer, begin_offset, end_offset - begin_offset};
}

const char* name_of(StepKind kind) {
  switch (kind) {
    case StepKind::send:
      return "send";
    case StepKind::receive:
      return "receive";
    case StepKind::copy:
      return "copy";
    case StepKind::reduce:
      return "reduce";
    case StepKind::group_bcast:
      return "group_bcast";
    case StepKind::group_reduce:
      return "group_reduce";
  }
  return "unknown";
}

const char* name_of(Buffer buffer) {
  switch (buffer) {
    case Buffer::send:
      return "send";
    case Buffer::receive:
      return "receive";
    case Buffer::scratch:
      return "scratch";
  }
  return "unknown";
}

}  // namespace quadrille
