// SPDX-License-Identifier: BSD-3-Clause
// How flows keep their places in an endpoint's ordered lists. A list leads to the flow itself: with
// a thousand peers looking it up by its key took a sixth of an endpoint's time.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <utility>

#include "wire/flow/flow.h"

namespace quadrille::wire {

// Of equal order by the key.
struct ListedFlow {
  FlowKey key;
  Flow* flow = nullptr;

  auto operator<=>(const ListedFlow& other) const { return key <=> other.key; }
  bool operator==(const ListedFlow& other) const { return key == other.key; }
};
template <typename Order>
using FlowList = std::set<std::pair<Order, ListedFlow>>;

// Moves `flow` within `list` from where it was to where it belongs now.
template <typename Order>
void relist(FlowList<Order>& list, Flow& flow, std::optional<Order>& was,
            const std::optional<Order>& now) {
  if (was == now) return;
  if (was && now) {  // its node goes along
    auto node = list.extract({*was, {flow.key, &flow}});
    node.value().first = *now;
    list.insert(std::move(node));
  } else if (was) {
    list.erase({*was, {flow.key, &flow}});
  } else {
    list.insert({*now, {flow.key, &flow}});
  }
  was = now;
}

}  // namespace quadrille::wire
