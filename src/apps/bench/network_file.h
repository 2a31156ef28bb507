// SPDX-License-Identifier: BSD-3-Clause
// The file that tells the network's rates, and the lower bounds that follow from it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "network/bounds.h"

namespace quadrille::bench {

struct NetworkFile {
  std::string source;  // "file", "lab" or "model"; empty: none given
  std::string path;
  nlohmann::json contents;            // null where there is none that can be used
  std::optional<NetworkRates> rates;  // nothing where the file states none that can be used
  std::string complaint;              // why there are no rates though a file was given
};

// Reads `path`; if that is empty, the emulated cluster's statement (QUADRILLE_LAB_INFO) or else the
// network model (QUADRILLE_MODEL).
NetworkFile read_network_file(const std::string& path);

// The lower bound of one point, in payload and as frames on the wire.
struct PointBound {
  LowerBound payload;
  LowerBound framed;
  std::string framing;  // in words
  std::string source;   // of the rates
};

// Nothing where the operation has no bound or a host is not in the file. `block_bytes` as in
// BoundedCall, of collectives with counts.
std::optional<PointBound> bound_of(
    const NetworkFile& network, const std::string& collective, std::uint64_t bytes, Rank root,
    const std::vector<std::string>& host_of_rank,
    const std::function<std::uint64_t(Rank from, Rank to)>& block_bytes = {});

}  // namespace quadrille::bench
