// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verdicts.h"

#include <algorithm>
#include <ios>
#include <sstream>
#include <vector>

#include "base/fingerprint.h"

namespace quadrille {
namespace {

constexpr std::string_view kFirstLine = "quadrille verdicts 1";

}  // namespace

Verdicts::Table Verdicts::parse(std::string_view text, std::int64_t now_s) {
  Table table;
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return table;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    Key key;
    Verdict verdict;
    words >> std::hex >> key.view >> key.calls >> std::dec >> verdict.at_s >> verdict.chosen >>
        verdict.rival;
    std::string more;
    const bool is_whole = !words.fail() && !(words >> more);
    // One from the future tells of clocks that differ.
    if (!is_whole || now_s - verdict.at_s >= expiry_s || verdict.at_s - now_s >= expiry_s) continue;
    table[key] = std::move(verdict);
  }
  return table;
}

void Verdicts::read(std::string_view text, std::int64_t now_s) { known_ = parse(text, now_s); }

const Verdicts::Verdict* Verdicts::find(const Key& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

void Verdicts::learn(const Key& key, Verdict verdict) {
  const std::scoped_lock lock(mutex_);
  learnt_[key] = std::move(verdict);
}

bool Verdicts::has_learnt() const {
  const std::scoped_lock lock(mutex_);
  return !learnt_.empty();
}

std::string Verdicts::joined_with(std::string_view text, std::int64_t now_s) const {
  Table all = parse(text, now_s);
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, verdict] : learnt_) {
      const auto found = all.find(key);
      if (found == all.end() || found->second.at_s <= verdict.at_s) all[key] = verdict;
    }
  }
  std::vector<std::pair<Key, Verdict>> newest(all.begin(), all.end());
  if (newest.size() > most_kept) {
    std::ranges::stable_sort(newest, std::ranges::greater(),
                             [](const auto& entry) { return entry.second.at_s; });
    newest.resize(most_kept);
  }
  std::ostringstream written;
  written << kFirstLine << '\n';
  for (const auto& [key, verdict] : newest)
    written << std::hex << key.view << ' ' << key.calls << ' ' << std::dec << verdict.at_s << ' '
            << verdict.chosen << ' ' << verdict.rival << '\n';
  return written.str();
}

std::uint64_t fingerprint_of(const TopologyView& view) {
  std::string all;
  const auto add = [&all](const char* what, const auto& numbers) {
    all += what;
    for (const auto number : numbers) all += std::to_string(static_cast<int>(number)) + ",";
  };
  add("hosts", view.host_of_rank);
  add("segments", view.segment_of_host);
  add("islands", view.is_island);
  add("kinds", view.kind_of_segment);
  for (const TopologyView::Trunk& trunk : view.trunks)
    add("trunk", std::vector<std::uint32_t>{trunk.first, trunk.second});
  add("multicast", view.multicast_in_segment);
  add("all",
      std::vector<bool>{view.group_steps, view.has_wire, view.has_host_memory, view.has_multicast});
  return fingerprint(all);
}

}  // namespace quadrille
