// SPDX-License-Identifier: BSD-3-Clause
// The network model: which hosts share a segment, and of what kind it is. Read from the JSON file
// that the user names; units are in the names of its fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace quadrille {

enum class SegmentKind : std::uint8_t { switched, bus };

struct Segment {
  std::vector<std::string> hosts;  // as `hostname` prints them
  SegmentKind kind = SegmentKind::switched;
};

struct NetworkModel {
  std::vector<Segment> segments;
};

// Parses a model file's contents. Errors name the place in the document and the value.
Result<NetworkModel> parse_model(std::string_view json);

// The segment of each of `hosts`, by position. A host that the model does not know is an error that
// names it.
Result<std::vector<std::uint32_t>> segments_of(const NetworkModel& model,
                                               const std::vector<std::string>& hosts);

}  // namespace quadrille
