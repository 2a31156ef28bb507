// SPDX-License-Identifier: BSD-3-Clause
// Where data only move, the expected extents are written down and compared; where they are reduced,
// each element has to combine every rank's contribution once (of scan and exscan, those of the
// ranks up to this one, or before it), in rank order if the operation does not commute; of
// allreduce in the same tree on all ranks, so that all ranks hold the same bits.
#include "schedule/check/check_result.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace quadrille {

namespace {

class ResultCheck {
 public:
  ResultCheck(const Shape& shape, std::span<const LocalCounts> counts, const Execution& execution,
              Findings& findings)
      : shape_(shape), counts_(counts), execution_(execution), findings_(findings) {}

  void run() {
    for (Rank rank = 0; rank < shape_.ranks; ++rank) check_rank(rank);
  }

 private:
  void report(FindingKind kind, Rank rank, const std::string& message) {
    findings_.push_back({kind, rank, Finding::no_step, message});
  }

  void check_rank(Rank rank) {
    if (has_counts(shape_.collective)) return check_uneven(rank, counts_of(rank));
    const Region whole{Buffer::receive, 0, buffer_lengths(shape_, rank).receive};
    switch (shape_.collective) {
      case Collective::barrier:
        return;
      case Collective::bcast:
        return expect(rank, whole, shape_.root, 0);
      case Collective::allgather:
        for (Rank source = 0; source < shape_.ranks; ++source) {
          expect(rank, block(source), source, 0);
        }
        return;
      case Collective::alltoall:
        for (Rank source = 0; source < shape_.ranks; ++source) {
          expect(rank, block(source), source, block(rank).offset);
        }
        return;
      case Collective::gather:
        for (Rank source = 0; whole.length > 0 && source < shape_.ranks; ++source) {
          expect(rank, block(source), source, 0);
        }
        return;
      case Collective::scatter:
        return expect(rank, whole, shape_.root, block(rank).offset);
      case Collective::reduce:
        return check_reduced(rank, whole, {0, shape_.ranks});
      case Collective::allreduce:
        check_reduced(rank, whole, {0, shape_.ranks});
        return check_same_bits(rank, whole);
      case Collective::scan:
        return check_reduced(rank, whole, {0, rank + 1});
      case Collective::exscan:
        if (rank == 0) return expect(rank, whole, rank, 0);
        return check_reduced(rank, whole, {0, rank});
      case Collective::reduce_scatter_block:
        check_reduced(rank, {whole.buffer, 0, shape_.count}, {block(rank).offset, shape_.ranks});
        return expect(rank, {whole.buffer, shape_.count, whole.length - shape_.count}, rank,
                      shape_.count);
      default:
        return;
    }
  }

  void check_uneven(Rank rank, const LocalCounts& counts) {
    const auto received = [&](Rank source) { return counts.receive.of(Buffer::receive, source); };
    const std::uint64_t length = buffer_lengths(shape_, rank, counts).receive;
    const auto expect_from_all = [&](const auto& origin) {
      for (Rank source = 0; source < shape_.ranks; ++source) {
        expect(rank, received(source), source, origin(source));
      }
    };
    switch (shape_.collective) {
      case Collective::allgatherv:
        return expect_from_all([](Rank) { return 0; });
      case Collective::gatherv:
        if (rank == shape_.root) expect_from_all([](Rank) { return 0; });
        return;
      case Collective::alltoallv:
        return expect_from_all(
            [&](Rank source) { return counts_of(source).send.of(Buffer::send, rank).offset; });
      case Collective::neighbor_alltoallv:
        return check_from_neighbours(rank, counts);
      case Collective::scatterv:
        return expect(rank, {Buffer::receive, 0, length}, shape_.root,
                      counts_of(shape_.root).send.of(Buffer::send, rank).offset);
      case Collective::reduce_scatter: {
        const Region block = counts.send.of(Buffer::send, rank);
        check_reduced(rank, {Buffer::receive, 0, block.length}, {block.offset, shape_.ranks});
        return expect(rank, {Buffer::receive, block.length, length - block.length}, rank,
                      block.length);
      }
      default:
        return;
    }
  }

  // The n-th block from a rank is the n-th that it has for this one.
  void check_from_neighbours(Rank rank, const LocalCounts& counts) {
    std::map<Rank, std::vector<Region>> left;  // of each source's blocks for this rank, last first
    for (std::size_t i = 0; i < counts.sources.size(); ++i) {
      const Rank source = counts.sources[i];
      const auto [of_source, is_first] = left.try_emplace(source);
      if (is_first) of_source->second = blocks_for(rank, counts_of(source));
      if (of_source->second.empty())
        return report(FindingKind::wrong_result, rank,
                      "awaits more blocks than rank " + std::to_string(source) + " has for it");
      expect(rank, counts.receive.of(Buffer::receive, static_cast<Rank>(i)), source,
             of_source->second.back().offset);
      of_source->second.pop_back();
    }
  }

  static std::vector<Region> blocks_for(Rank rank, const LocalCounts& counts) {
    std::vector<Region> blocks;
    for (std::size_t i = counts.targets.size(); i-- > 0;) {
      if (counts.targets[i] == rank)
        blocks.push_back(counts.send.of(Buffer::send, static_cast<Rank>(i)));
    }
    return blocks;
  }

  const LocalCounts& counts_of(Rank rank) const { return counts_[static_cast<std::size_t>(rank)]; }

  Region block(Rank rank) const {
    return {Buffer::receive, static_cast<std::uint64_t>(rank) * shape_.count, shape_.count};
  }

  // The region has to hold the contribution of `source` from its element `origin` on.
  void expect(Rank rank, const Region& region, Rank source, std::uint64_t origin) {
    if (region.length == 0) return;
    std::uint64_t done = 0;
    for (const Extent& extent : execution_.contents(rank).read(region)) {
      const Extent expected{extent.length, static_cast<Expression>(source), origin + done};
      if (extent != expected) {
        const Region wrong{region.buffer, region.offset + done, extent.length};
        return report(
            FindingKind::wrong_result, rank,
            text_of(wrong) + " holds " + text_of(extent) + " instead of " + text_of(expected));
      }
      done += extent.length;
    }
  }

  // What an element at the region's beginning combines: which element of the contributions of the
  // first `ranks` ranks.
  struct Combined {
    std::uint64_t origin = 0;
    Rank ranks = 0;
  };

  void check_reduced(Rank rank, const Region& region, const Combined& expected) {
    std::uint64_t done = 0;
    for (const Extent& extent : execution_.contents(rank).read(region)) {
      const Region where{region.buffer, region.offset + done, extent.length};
      if (extent.origin != expected.origin + done ||
          !combines_first(expected.ranks, extent.expression)) {
        return report(FindingKind::wrong_result, rank,
                      text_of(where) + " holds " + text_of(extent));
      }
      done += extent.length;
    }
  }

  void check_same_bits(Rank rank, const Region& whole) {
    const std::vector<Extent> result = execution_.contents(rank).read(whole);
    if (rank == 0) first_result_ = result;
    if (result != first_result_) {
      report(FindingKind::different_bits, rank, "combines in another order than rank 0");
    }
  }

  bool combines_first(Rank first_ranks, Expression expression) const {
    if (expression == uninitialised) return false;
    std::vector<Rank> ranks = execution_.expressions().contributors(expression);
    if (shape_.commutative) std::sort(ranks.begin(), ranks.end());
    std::vector<Rank> wanted(static_cast<std::size_t>(first_ranks));
    std::iota(wanted.begin(), wanted.end(), 0);
    return ranks == wanted;
  }

  std::string text_of(const Region& region) const { return quadrille::text_of(region); }

  std::string text_of(const Extent& extent) const {
    if (extent.expression == uninitialised) return "nothing";
    std::string ranks;
    for (const Rank rank : execution_.expressions().contributors(extent.expression)) {
      ranks += (ranks.empty() ? "" : " op ") + std::to_string(rank);
    }
    return "elements [" + std::to_string(extent.origin) + ", " +
           std::to_string(extent.origin + extent.length) + ") of " + ranks;
  }

  const Shape& shape_;
  const std::span<const LocalCounts> counts_;
  const Execution& execution_;
  Findings& findings_;
  std::vector<Extent> first_result_;  // of rank 0
};

}  // namespace

void check_result(const Shape& shape, std::span<const LocalCounts> counts,
                  const Execution& execution, Findings& findings) {
  ResultCheck(shape, counts, execution, findings).run();
}

}  // namespace quadrille
