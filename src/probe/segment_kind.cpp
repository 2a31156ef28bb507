// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segment_kind.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "probe/loads.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Two ways at this share are one and a half times what a bus carries, and three quarters of each
// cable.
constexpr double kShare = 0.75;
// Of what was sent both ways, a bus delivers two thirds while the load lasts.
constexpr double kTakenInTurns = 0.85;
constexpr std::size_t kWitnesses = 6;  // hosts of a segment whose ways are watched
constexpr int kTrials = 3;

// Two flows whose sum a bus could not carry: between two hosts of a segment, or into and out of a
// lone one.
struct Trial {
  std::size_t segment = 0;
  std::array<Flow, 2> flows;
};

struct Votes {
  double bus = 0;
  double switched = 0;
};

double rate_between(const LoadedViews& views, HostIndex from, HostIndex to) {
  return kShare * std::min(views.rates()[from].free_out_bit_s(), views.rates()[to].free_in_bit_s());
}

Trial between_two(LoadedViews& views, const std::vector<HostSet>& segments, std::size_t segment) {
  std::array<HostIndex, 2> pair{};
  std::sample(segments[segment].begin(), segments[segment].end(), pair.begin(), 2,
              views.setting().chance);
  return {segment,
          {Flow{pair[0], pair[1], rate_between(views, pair[0], pair[1])},
           Flow{pair[1], pair[0], rate_between(views, pair[1], pair[0])}}};
}

// What arrived of what was sent, over the time that it took: a bus still delivers when the load is
// over.
double delivered_share(const LoadedView& view, const Trial& trial) {
  double offered = 0;
  double arrived = 0;
  for (const auto& outcome : view.flows) {
    for (const Flow& flow : trial.flows) {
      if (outcome.flow.from != flow.from || outcome.flow.to != flow.to) continue;
      offered += outcome.flow.rate_bit_s;
      arrived += std::min(outcome.arrived_bit_s, outcome.flow.rate_bit_s);
    }
  }
  return offered > 0 ? arrived / offered : 1;
}

// The share of ways between those who take no part that wait; negative where there are none.
double waiting_witnesses(const LoadedViews& views, const LoadedView& view, const HostSet& segment,
                         const Trial& trial) {
  std::size_t known = 0;
  std::size_t waiting = 0;
  const auto takes_part = [&](HostIndex host) {
    return host == trial.flows[0].from || host == trial.flows[0].to;
  };
  for (const HostIndex from : segment) {
    for (const HostIndex to : segment) {
      if (from == to || (takes_part(from) && takes_part(to)) || !view.waits.at(from, to).known)
        continue;
      ++known;
      waiting += views.standing(view, from, to) ? 1 : 0;
    }
  }
  return known == 0 ? -1 : static_cast<double>(waiting) / static_cast<double>(known);
}

void vote(Votes& votes, double delivered, double waiting) {
  const bool in_turns = delivered < kTakenInTurns;
  if (waiting < 0) {
    (in_turns ? votes.bus : votes.switched) += 1;
    return;
  }
  // Both signs together are sure; the witnesses count more, since a slow receiver also delivers
  // less.
  const bool witnessed = waiting > 0.5;
  (witnessed ? votes.bus : votes.switched) += in_turns == witnessed ? 2 : 1;
}

HostSet witnesses(LoadedViews& views, const std::vector<HostSet>& segments) {
  HostSet chosen;
  for (const HostSet& segment : segments)
    std::sample(segment.begin(), segment.end(), std::back_inserter(chosen), kWitnesses,
                views.setting().chance);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Result<bool> perform(LoadedViews& views, const std::vector<HostSet>& segments,
                     const std::vector<Trial>& trials, std::vector<Votes>& votes) {
  Load load{.purpose = "switch or bus",
            .flows = {},
            .duration_ns = 100 * kMillisecond,
            .landmarks = witnesses(views, segments),
            .keep_arrivals = false};
  for (const Trial& trial : trials)
    load.flows.insert(load.flows.end(), trial.flows.begin(), trial.flows.end());
  const auto view = views.observe(load);
  if (!view.ok()) return view.error();
  for (const Trial& trial : trials) {
    vote(votes[trial.segment], delivered_share(view.value(), trial),
         waiting_witnesses(views, view.value(), segments[trial.segment], trial));
  }
  return true;
}

// A lone host sends to one and receives from another that share nothing with each other as far as
// is known.
std::vector<Trial> lone_trial(LoadedViews& views, const std::vector<HostSet>& segments,
                              const std::vector<Votes>& votes, std::size_t lone) {
  HostSet partners;
  for (std::size_t at = 0; at < segments.size(); ++at) {
    if (at == lone) continue;
    const bool switched = segments[at].size() > 1 && votes[at].switched > votes[at].bus;
    partners.insert(partners.end(), segments[at].begin(),
                    switched ? segments[at].end() : segments[at].begin() + 1);
  }
  if (partners.size() < 2) return {};
  const HostIndex host = segments[lone].front();
  std::shuffle(partners.begin(), partners.end(), views.setting().chance);
  std::stable_sort(partners.begin(), partners.end(), [&](HostIndex one, HostIndex other) {
    return views.rates()[one].free_out_bit_s() > views.rates()[other].free_out_bit_s();
  });
  const Flow out{host, partners[0], rate_between(views, host, partners[0])};
  const Flow in{partners[1], host, rate_between(views, partners[1], host)};
  const double cable =
      std::min(views.rates()[host].free_out_bit_s(), views.rates()[host].free_in_bit_s());
  // Partners that are too slow could not show it.
  if (out.rate_bit_s + in.rate_bit_s < 1.3 * cable) return {};
  return {Trial{lone, {out, in}}};
}

}  // namespace

Result<std::vector<KindFinding>> find_kinds(LoadedViews& views,
                                            const std::vector<HostSet>& segments) {
  std::vector<Votes> votes(segments.size());
  for (int repeat = 0; repeat < kTrials; ++repeat) {
    std::vector<Trial> trials;
    for (std::size_t at = 0; at < segments.size(); ++at) {
      const double sum = votes[at].bus + votes[at].switched;
      const bool sure = repeat >= 2 && std::max(votes[at].bus, votes[at].switched) == sum;
      if (segments[at].size() > 1 && !sure) trials.push_back(between_two(views, segments, at));
    }
    if (trials.empty()) break;
    if (const auto done = perform(views, segments, trials, votes); !done.ok()) return done.error();
  }
  for (std::size_t at = 0; at < segments.size(); ++at) {
    if (segments[at].size() != 1) continue;
    const auto trials = lone_trial(views, segments, votes, at);
    for (int repeat = 0; repeat < 2 && !trials.empty(); ++repeat) {
      if (const auto done = perform(views, segments, trials, votes); !done.ok())
        return done.error();
    }
  }
  std::vector<KindFinding> found;
  for (const Votes& vote : votes) {
    const double sum = vote.bus + vote.switched;
    const bool bus = vote.bus > vote.switched;
    found.push_back({bus ? SegmentKind::bus : SegmentKind::switched,
                     sum > 0 ? 0.98 * std::max(vote.bus, vote.switched) / sum : 0});
  }
  return found;
}

}  // namespace quadrille::probe
