// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/along_tree.h"

#include <algorithm>
#include <vector>

namespace quadrille {

void pass_down(ScheduleBuilder& builder, const PlaceInTree& place, const Region& data) {
  if (data.length == 0) return;
  if (place.parent >= 0) builder.receive(place.parent, data);
  for (const Rank child : place.children) builder.send(child, data);
  if (place.role == GroupRole::none) return;
  builder.group_bcast(place.group, place.group_root, place.role == GroupRole::serves, data);
}

CombineUp::CombineUp(ScheduleBuilder& builder, const PlaceInTree& place, Places places,
                     std::uint64_t pieces)
    : builder_(builder),
      place_(place),
      places_(places),
      pieces_(pieces),
      ends_in_target_(places.target.length > 0 && places.own != places.target),
      ring_(builder, slots(), places.own.longest_segment(pieces)) {}

std::uint64_t CombineUp::slots() const {
  // Of one piece, two take turns over the children.
  const std::uint64_t most = pieces_ > 1 ? SlotRing::pipeline_slots : 2;
  const std::uint64_t sums = place_.children.size() + (place_.role == GroupRole::serves ? 1 : 0);
  const std::uint64_t in_target = ends_in_target_ && sums > 0 ? 1 : 0;
  return std::min(most, (sums - in_target) * pieces_);
}

Region CombineUp::combine(std::uint64_t index) {
  Region sum = places_.own.segment(index, pieces_);
  if (sum.length == 0) return sum;
  const Region target =
      places_.target.length > 0 ? places_.target.segment(index, pieces_) : Region{};
  const auto next = [&](bool is_last) {
    return is_last && ends_in_target_ ? target : ring_.next(sum.length);
  };
  if (place_.role == GroupRole::is_served) {
    builder_.group_reduce(place_.group, place_.group_root, sum, {});
    return sum;
  }
  if (place_.role == GroupRole::serves) {
    const Region into = next(place_.children.empty());
    builder_.group_reduce(place_.group, place_.group_root, sum, into);
    sum = into;
  }
  for (std::size_t child = place_.children.size(); child-- > 0;) {
    const Region into = next(child == 0);
    builder_.receive(place_.children[child], into);
    builder_.reduce(sum, into);
    sum = into;
  }
  if (place_.parent >= 0) {
    builder_.send(place_.parent, sum);
  } else if (target.length > 0 && sum != target) {
    builder_.copy(sum, target);
    sum = target;
  }
  return sum;
}

std::vector<StepIndex> arrive(ScheduleBuilder& builder, const PlaceInTree& place) {
  std::vector<StepIndex> arrivals;
  for (std::size_t child = place.children.size(); child-- > 0;) {
    arrivals.push_back(builder.receive_ready(place.children[child]));
  }
  if (place.parent >= 0) builder.send_ready(place.parent, arrivals);
  return arrivals;
}

void release(ScheduleBuilder& builder, const PlaceInTree& place,
             const std::vector<StepIndex>& arrivals, const std::function<bool(Rank)>& releases) {
  const StepIndex released =
      place.parent >= 0 ? builder.receive_ready(place.parent) : ScheduleBuilder::no_step;
  // Who is released has come itself, so that its release waits for the others only.
  for (std::size_t i = arrivals.size(); i-- > 0;) {
    const Rank child = place.children[arrivals.size() - 1 - i];
    if (!releases(child)) continue;
    std::vector<StepIndex> others = arrivals;
    others[i] = released;
    builder.send_ready(child, others);
  }
}

void arrive_and_release(ScheduleBuilder& builder, const PlaceInTree& place) {
  release(builder, place, arrive(builder, place), [](Rank) { return true; });
}

Schedule bcast_over(const PlaceInTree& place, const Shape& shape, std::uint64_t pieces) {
  ScheduleBuilder builder;
  const Region data{Buffer::receive, 0, shape.count};
  if (shape.count == 0) return builder.build();
  if (!place.is_top()) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      pass_down(builder, place, data.segment(piece, pieces));
    }
    return builder.build();
  }
  // The root has all pieces from the start: it serves its children one after the other, so that
  // those who have others to serve are not held up by those who have not.
  for (const Rank child : place.children) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      builder.send(child, data.segment(piece, pieces));
    }
  }
  if (place.role == GroupRole::none) return builder.build();
  for (std::uint64_t piece = 0; piece < pieces; ++piece)
    builder.group_bcast(place.group, place.group_root, true, data.segment(piece, pieces));
  return builder.build();
}

Schedule reduce_over(const PlaceInTree& place, const Shape& shape, Rank rank, Rank top,
                     std::uint64_t pieces) {
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region result{Buffer::receive, 0, shape.count};
  const bool ends_here = rank == top && top == shape.root;
  CombineUp up(builder, place, {contribution(shape, rank), ends_here ? result : Region{}}, pieces);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const Region sum = up.combine(piece);
    if (top == shape.root) continue;
    if (rank == top) builder.send(shape.root, sum);
    if (rank == shape.root) builder.receive(top, result.segment(piece, pieces));
  }
  return builder.build();
}

Schedule allreduce_over(const PlaceInTree& place, const Shape& shape, Rank rank,
                        std::uint64_t pieces) {
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region result{Buffer::receive, 0, shape.count};
  CombineUp up(builder, place, {contribution(shape, rank), place.is_top() ? result : Region{}},
               pieces);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    up.combine(piece);
    pass_down(builder, place, result.segment(piece, pieces));
  }
  return builder.build();
}

}  // namespace quadrille
