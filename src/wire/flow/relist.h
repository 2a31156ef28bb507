// SPDX-License-Identifier: BSD-3-Clause
// How flows keep their places in an endpoint's ordered lists.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "wire/flow/flow.h"

namespace quadrille::wire {

// Moves `key` within `list` from where it was to where it belongs now.
template <typename Order>
void relist(std::set<std::pair<Order, FlowKey>>& list, const FlowKey& key,
            std::optional<Order>& was, const std::optional<Order>& now) {
  if (was == now) return;
  if (was) list.erase({*was, key});
  if (now) list.insert({*now, key});
  was = now;
}

}  // namespace quadrille::wire
