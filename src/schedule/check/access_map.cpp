// SPDX-License-Identifier: BSD-3-Clause
// Each buffer is a map of disjoint segments of equal history; a region that begins or ends within
// one cuts it.
#include "schedule/check/access_map.h"

namespace quadrille {

void AccessMap::record(StepIndex step, const Step& what, std::vector<StepIndex>& follows) {
  if (what.kind != StepKind::receive) read(step, what.from, follows);
  if (what.kind != StepKind::send) write(step, what.into, follows);
}

AccessMap::Segments::iterator AccessMap::cut(Segments& segments, std::uint64_t position) {
  auto next = segments.lower_bound(position);
  if (next == segments.begin() || (next != segments.end() && next->first == position)) return next;
  const auto spanning = std::prev(next);
  if (spanning->second.end <= position) return next;
  Segment upper = spanning->second;
  spanning->second.end = position;
  return segments.emplace_hint(next, position, std::move(upper));
}

void AccessMap::read(StepIndex step, const Region& region, std::vector<StepIndex>& follows) {
  if (region.length == 0) return;
  Segments& segments = buffers_[static_cast<std::size_t>(region.buffer)];
  const std::uint64_t end = region.offset + region.length;
  cut(segments, end);
  auto segment = cut(segments, region.offset);
  for (std::uint64_t position = region.offset; position < end;) {
    if (segment == segments.end() || segment->first > position) {
      const std::uint64_t gap_end = segment == segments.end() ? end : std::min(end, segment->first);
      segment = segments.emplace_hint(segment, position, Segment{gap_end, nobody, {}});
    }
    if (segment->second.writer != nobody) follows.push_back(segment->second.writer);
    segment->second.readers.push_back(step);
    position = segment->second.end;
    ++segment;
  }
}

void AccessMap::write(StepIndex step, const Region& region, std::vector<StepIndex>& follows) {
  if (region.length == 0) return;
  Segments& segments = buffers_[static_cast<std::size_t>(region.buffer)];
  const std::uint64_t end = region.offset + region.length;
  const auto last = cut(segments, end);
  auto segment = cut(segments, region.offset);
  while (segment != last) {
    const Segment& earlier = segment->second;
    // Readers follow the writer already; only without any does the writer itself have to be
    // followed.
    if (earlier.readers.empty() && earlier.writer != nobody) follows.push_back(earlier.writer);
    for (const StepIndex reader : earlier.readers) {
      if (reader != step) follows.push_back(reader);
    }
    segment = segments.erase(segment);
  }
  segments.emplace_hint(last, region.offset, Segment{end, step, {}});
}

}  // namespace quadrille
