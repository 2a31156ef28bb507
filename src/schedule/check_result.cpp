// SPDX-License-Identifier: BSD-3-Clause
// Where data only move, the expected extents are written down and compared; where they are reduced,
// each element has to combine every rank's contribution once, in rank order if the operation does
// not commute, and in the same tree on all ranks, so that all ranks hold the same bits.
#include "schedule/check_result.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace quadrille {

namespace {

class ResultCheck {
 public:
  ResultCheck(const Shape& shape, const Execution& execution, Findings& findings)
      : shape_(shape), execution_(execution), findings_(findings) {}

  void run() {
    for (Rank rank = 0; rank < shape_.ranks; ++rank) check_rank(rank);
  }

 private:
  void report(FindingKind kind, Rank rank, const std::string& message) {
    findings_.push_back({kind, rank, Finding::no_step, message});
  }

  void check_rank(Rank rank) {
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
      case Collective::reduce:
      case Collective::allreduce:
        return check_reduced(rank, whole);
    }
  }

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

  void check_reduced(Rank rank, const Region& whole) {
    const std::vector<Extent> result = execution_.contents(rank).read(whole);
    std::uint64_t position = 0;
    for (const Extent& extent : result) {
      const Region where{Buffer::receive, position, extent.length};
      if (whole.length > 0 && (extent.origin != position || !combines_all(extent.expression))) {
        return report(FindingKind::wrong_result, rank,
                      text_of(where) + " holds " + text_of(extent));
      }
      position += extent.length;
    }
    if (shape_.collective != Collective::allreduce) return;
    if (rank == 0) first_result_ = result;
    if (result != first_result_) {
      report(FindingKind::different_bits, rank, "combines in another order than rank 0");
    }
  }

  bool combines_all(Expression expression) const {
    if (expression == uninitialised) return false;
    std::vector<Rank> ranks = execution_.expressions().contributors(expression);
    if (shape_.commutative) std::sort(ranks.begin(), ranks.end());
    std::vector<Rank> all(static_cast<std::size_t>(shape_.ranks));
    std::iota(all.begin(), all.end(), 0);
    return ranks == all;
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
  const Execution& execution_;
  Findings& findings_;
  std::vector<Extent> first_result_;  // of rank 0
};

}  // namespace

void check_result(const Shape& shape, const Execution& execution, Findings& findings) {
  ResultCheck(shape, execution, findings).run();
}

}  // namespace quadrille
