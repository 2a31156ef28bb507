// SPDX-License-Identifier: BSD-3-Clause
// Interval maps of extents, and the table of expressions.
#include "schedule/check/contents.h"

#include <algorithm>

namespace quadrille {

namespace {

void append(std::vector<Extent>& extents, const Extent& next) {
  if (!extents.empty()) {
    Extent& last = extents.back();
    const bool continues =
        last.expression == next.expression &&
        (last.expression == uninitialised || last.origin + last.length == next.origin);
    if (continues) {
      last.length += next.length;
      return;
    }
  }
  extents.push_back(next);
}

}  // namespace

Expressions::Expressions(Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) contributors_.push_back({rank});
}

Expression Expressions::combine(Expression left, Expression right) {
  const std::uint64_t key = std::uint64_t{left} << 32 | right;
  const auto [entry, is_first] =
      known_.try_emplace(key, static_cast<Expression>(contributors_.size()));
  if (is_first) {
    std::vector<Rank> both = contributors_[left];
    const std::vector<Rank>& second = contributors_[right];
    both.insert(both.end(), second.begin(), second.end());
    contributors_.push_back(std::move(both));
  }
  return entry->second;
}

std::vector<Extent> Contents::read(const Region& region) const {
  std::vector<Extent> result;
  const Extents& extents = buffers_[static_cast<std::size_t>(region.buffer)];
  const std::uint64_t end = region.offset + region.length;
  auto next = extents.upper_bound(region.offset);
  if (next != extents.begin()) --next;
  std::uint64_t position = region.offset;
  for (; position < end && next != extents.end(); ++next) {
    const auto& [first, extent] = *next;
    if (first + extent.length <= position) continue;
    if (first >= end) break;
    if (first > position) {
      append(result, {first - position, uninitialised, 0});
      position = first;
    }
    const std::uint64_t until = std::min(end, first + extent.length);
    append(result, {until - position, extent.expression, extent.origin + (position - first)});
    position = until;
  }
  if (position < end) append(result, {end - position, uninitialised, 0});
  return result;
}

void Contents::cut(Extents& extents, std::uint64_t position) {
  auto next = extents.lower_bound(position);
  if (next == extents.begin()) return;
  auto& [first, extent] = *std::prev(next);
  if (first + extent.length <= position) return;
  const std::uint64_t kept = position - first;
  extents.emplace_hint(next, position,
                       Extent{extent.length - kept, extent.expression, extent.origin + kept});
  extent.length = kept;
}

void Contents::write(const Region& region, std::span<const Extent> extents) {
  Extents& buffer = buffers_[static_cast<std::size_t>(region.buffer)];
  cut(buffer, region.offset);
  cut(buffer, region.offset + region.length);
  buffer.erase(buffer.lower_bound(region.offset),
               buffer.lower_bound(region.offset + region.length));
  std::uint64_t position = region.offset;
  for (const Extent& extent : extents) {
    if (extent.expression != uninitialised) buffer[position] = extent;
    position += extent.length;
  }
}

std::vector<ExtentPair> cut_alike(std::span<const Extent> left, std::span<const Extent> right) {
  std::vector<ExtentPair> result;
  std::uint64_t left_done = 0;  // of the current extent
  std::uint64_t right_done = 0;
  for (std::size_t l = 0, r = 0; l < left.size() && r < right.size();) {
    const std::uint64_t length = std::min(left[l].length - left_done, right[r].length - right_done);
    result.push_back({{length, left[l].expression, left[l].origin + left_done},
                      {length, right[r].expression, right[r].origin + right_done}});
    left_done += length;
    right_done += length;
    if (left_done == left[l].length) {
      ++l;
      left_done = 0;
    }
    if (right_done == right[r].length) {
      ++r;
      right_done = 0;
    }
  }
  return result;
}

}  // namespace quadrille
