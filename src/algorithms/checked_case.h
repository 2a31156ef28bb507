// SPDX-License-Identifier: BSD-3-Clause
// Test support: one call of one algorithm, all ranks' schedules, and the parameter values that
// tests go through.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/count_exchange.h"
#include "schedule/block_lengths.h"
#include "schedule/check/check.h"

namespace quadrille {

// How the blocks of a vector collective differ; of other calls they never do.
enum class BlockPattern { even, uneven, one_source };

// Has the ranks of each host tell each other what they know of their blocks.
inline void tell_neighbours(const TopologyView& view, std::vector<StoredCounts>& counts) {
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const CarriedHosts hosts(view, static_cast<Rank>(rank));
    counts[rank].told.resize(hosts.own().size());
    hosts.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      const LocalCounts its = counts[static_cast<std::size_t>(neighbour)].view();
      counts[rank].told[place] = counts_for(hosts, its, hosts.place());
    });
  }
}

struct CheckedCase {
  const Algorithm* algorithm = nullptr;
  Shape shape;             // of vector collectives the count is that of a longest block
  std::string parameters;  // beyond the defaults
  TopologyView view = TopologyView::flat(shape.ranks);
  BlockPattern pattern = BlockPattern::even;

  std::vector<Schedule> generate() const {
    const Parameters values = algorithm->parameters.with(parameters).value();
    const Shape whole = whole_shape();
    const std::vector<StoredCounts> counts = stored_counts();
    std::vector<Schedule> schedules;
    for (Rank rank = 0; rank < shape.ranks; ++rank) {
      const LocalCounts known =
          counts.empty() ? LocalCounts{} : counts[static_cast<std::size_t>(rank)].view();
      schedules.push_back(algorithm->generate({whole, view, values, rank, known}));
    }
    return schedules;
  }

  Findings check(const std::vector<Schedule>& schedules) const {
    return check_as(whole_shape(), schedules);
  }
  // The same for an operation that does not commute.
  Findings check_order(const std::vector<Schedule>& schedules) const {
    Shape ordered = whole_shape();
    ordered.commutative = false;
    return check_as(ordered, schedules);
  }

 private:
  Findings check_as(const Shape& as, const std::vector<Schedule>& schedules) const {
    const std::vector<StoredCounts> counts = stored_counts();
    std::vector<LocalCounts> known;
    for (const StoredCounts& one : counts) known.push_back(one.view());
    return quadrille::check(as, schedules, known);
  }
  BlockLengths lengths() const {
    return [count = shape.count, pattern = pattern](Rank source, Rank target) {
      if (pattern == BlockPattern::even) return count;
      if (pattern == BlockPattern::uneven) return uneven_length(count, source, target);
      return source == 1 ? count : std::uint64_t{0};
    };
  }
  Shape whole_shape() const {
    return has_counts(shape.collective) ? shape_with(shape, lengths()) : shape;
  }
  std::vector<StoredCounts> stored_counts() const {
    std::vector<StoredCounts> counts;
    if (!has_counts(shape.collective)) return counts;
    for (Rank rank = 0; rank < shape.ranks; ++rank) {
      // Where the gaps are is each rank's own affair.
      counts.push_back(counts_of(shape, rank, lengths(), static_cast<std::uint64_t>(rank % 3)));
    }
    if (needs_count_exchange(*algorithm)) tell_neighbours(view, counts);
    return counts;
  }
};

inline std::ostream& operator<<(std::ostream& out, const CheckedCase& one) {
  return out << one.algorithm->name << ' ' << one.parameters << " ranks=" << one.shape.ranks
             << " root=" << one.shape.root << " count=" << one.shape.count
             << " element_bytes=" << one.shape.element_bytes
             << (one.shape.commutative ? "" : " not commutative")
             << (one.shape.in_place ? " in place" : "")
             << (one.pattern == BlockPattern::even ? "" : " unequal blocks");
}

inline std::vector<BlockPattern> block_patterns(const Algorithm& algorithm) {
  if (!has_counts(algorithm.collective)) return {BlockPattern::even};
  return {BlockPattern::even, BlockPattern::uneven, BlockPattern::one_source};
}

// Parameter values for counts up to some thousand elements, the defaults first.
inline std::vector<std::string> small_parameters(const Algorithm& algorithm) {
  const std::string defaults = algorithm.parameters.text();
  if (defaults.find("partners=") != std::string::npos) {
    return {"",
            "partners=2:window=2:piece_bytes=5",
            "partners=3:window=1:piece_bytes=7",
            "partners=1:window=3:piece_bytes=4",
            "partners=1:window=1:piece_bytes=1000000",
            "partners=40:window=1:piece_bytes=100"};
  }
  if (defaults.find("gathered_bytes=") != std::string::npos)
    return {"", "gathered_bytes=6", "gathered_bytes=0"};
  if (defaults.find("far=") != std::string::npos) {
    return {"", "near=1:far=1:window=1:piece_bytes=5", "near=1:far=2:window=2:piece_bytes=4",
            "near=3:far=40:window=1:piece_bytes=1000000"};
  }
  if (defaults.find("leaders=") != std::string::npos) {
    return {
        "",
        "leaders=0:segment=12:inside=star",
        "leaders=2:leader=1:segment=0:inside=binomial:host=library",
        "between=star:host=chain:segment=4:leaders=2",
        "between=chain:order=5:segment=40",
        "between=binomial:inside=star/chain/binomial:host=binomial:leaders=0:leader=3:segment=8",
        "between=star:host=library:leaders=0:segment=12"};
  }
  if (defaults.find("leader=") != std::string::npos) {
    std::vector<std::string> values{"", "between=chain:order=5:leader=1",
                                    "between=binomial:order=3"};
    if (algorithm.collective == Collective::barrier) return values;
    if (defaults.find("segment=") == std::string::npos) {
      values.push_back("between=star:inside=star/binomial/chain:host=chain");
      values.push_back("inside=chain:host=binomial");
      return values;
    }
    values.push_back("between=star:inside=star/chain/binomial:host=chain:segment=5");
    values.push_back("inside=binomial:segment=12");
    return values;
  }
  if (defaults.find("window=") != std::string::npos) {
    return {"", "window=1:piece_bytes=5", "window=2:piece_bytes=7", "window=40:piece_bytes=4"};
  }
  if (defaults.find("segment=") != std::string::npos) {
    std::vector<std::string> values{"", "segment=1", "segment=12", "segment=40"};
    if (defaults.find("kind=") == std::string::npos) return values;
    values.push_back("kind=knomial:k=3:segment=12");
    values.push_back("kind=knomial:k=8");
    if (defaults.find("in_turn=") != std::string::npos) {
      values.push_back("in_turn=1");
      values.push_back("kind=knomial:k=3:segment=12:in_turn=1");
    }
    return values;
  }
  return {""};
}

// Whether to look at the algorithm's schedules on random networks. Where there is multicast some
// steps bring what others bring too, so that leaving one out is no fault.
inline bool goes_by_view(const Algorithm& algorithm) {
  return algorithm.use.sees_network && !algorithm.name.ends_with("_multicast");
}

// Parameter values for counts of 10^9 elements, so that there are few steps.
inline std::string large_parameters(const Algorithm& algorithm) {
  const std::string defaults = algorithm.parameters.text();
  if (defaults.find("piece_bytes=") != std::string::npos) return "piece_bytes=400000000";
  if (defaults.find("segment=") != std::string::npos) return "segment=300000000";
  return "";
}

// All shapes of `ranks` and `count` that differ in root, in_place and commutativity and that the
// algorithm supports.
inline std::vector<Shape> supported_shapes(const Algorithm& algorithm, Rank ranks,
                                           std::uint64_t count) {
  std::vector<Shape> shapes;
  const Collective collective = algorithm.collective;
  for (Rank root = 0; root < (is_rooted(collective) ? ranks : 1); ++root) {
    for (const bool in_place : {false, true}) {
      for (const bool commutative : {true, false}) {
        if (in_place && !may_be_in_place(collective)) continue;
        if (!commutative && !is_reducing(collective)) continue;
        const Shape shape{.collective = collective,
                          .ranks = ranks,
                          .root = root,
                          .count = collective == Collective::barrier ? 0 : count,
                          .element_bytes = is_reducing(collective) ? 4U : 1U,
                          .commutative = commutative,
                          .in_place = in_place};
        if (algorithm.supports(shape)) shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

}  // namespace quadrille
