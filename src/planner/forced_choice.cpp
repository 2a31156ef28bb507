// SPDX-License-Identifier: BSD-3-Clause
// Parses QUADRILLE_ALGORITHM.
#include "planner/forced_choice.h"

#include <string>

namespace quadrille {
namespace {

// Cuts the part before `separator` off `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

const Algorithm* find(Collective collective, std::string_view name) {
  const std::string full = std::string(name_of(collective)) + "_" + std::string(name);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == collective && (algorithm.name == name || algorithm.name == full)) {
      return &algorithm;
    }
  }
  return nullptr;
}

std::string names_of(Collective collective) {
  std::string names = "mpi";
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == collective) names += ", " + std::string(algorithm.name);
  }
  return names;
}

Error complaint(std::string_view entry, const std::string& what) {
  return {ErrorKind::invalid_argument,
          "QUADRILLE_ALGORITHM: '" + std::string(entry) + "': " + what};
}

}  // namespace

Result<std::map<Collective, ForcedCandidate>> parse_forced_choice(std::string_view text) {
  std::map<Collective, ForcedCandidate> forced;
  while (!text.empty()) {
    const std::string_view entry = take_until(text, ',');
    std::string_view rest = entry;
    const std::string_view collective_name = take_until(rest, ':');
    const auto collective = collective_named(collective_name);
    if (!collective)
      return complaint(entry, "no collective is called '" + std::string(collective_name) + "'");
    const std::string_view algorithm_name = take_until(rest, ':');
    if (algorithm_name == "mpi") {
      forced[*collective] = ForcedCandidate{};
      continue;
    }
    const Algorithm* algorithm = find(*collective, algorithm_name);
    if (algorithm == nullptr) {
      return complaint(entry, "no algorithm '" + std::string(algorithm_name) + "'; there are " +
                                  names_of(*collective));
    }
    auto parameters = algorithm->parameters.with(rest);
    if (!parameters.ok()) return complaint(entry, parameters.error().message);
    forced[*collective] = ForcedCandidate{algorithm, parameters.value()};
  }
  return forced;
}

}  // namespace quadrille
