// SPDX-License-Identifier: BSD-3-Clause
// quadrille-order: on which host each rank of a program should start, so that its exchanges load
// the network least.
//
// Input, on standard input: the hosts in the order in which the launcher would fill them, one a
// line with its places: `node01 4`. Output: JSON,
//   {"hosts": ["node01", ...],          by rank
//    "before": {"segment_crossings": 8, "host_crossings": 8, "load_percent": 100},
//    "after": {...}}
// where `before` is the launcher's own order, and loads are those of the busiest trunk or bus.
// Exit codes: 0 done, 1 it failed, 2 wrong usage or input.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "base/error.h"
#include "mapping/rank_mapping.h"
#include "network/model/model.h"
#include "network/model/model_rates.h"

namespace quadrille {
namespace {

constexpr Rank kMostRanks = 65536;

struct OrderRequest {
  std::string model;
  std::string cart;
  std::string graph;
  bool ring = false;
  Rank ranks = 0;
};

// Where the launcher's ranks could be; `names` by host.
struct Hosts {
  std::vector<std::string> names;
  std::vector<std::uint32_t> of_place;  // indices into names
};

struct Program {
  CommunicationGraph graph;
  std::optional<Grid> grid;
};

Error complaint(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

// 4x4x2, 4x4x2:periodic
Result<Grid> parse_cart(const std::string& text, Rank ranks) {
  const Error wrong =
      complaint("--cart " + text + ": expected sizes such as 4x4, 8x4x2 or 4x4:periodic");
  const std::size_t colon = text.find(':');
  const bool periodic = colon != std::string::npos;
  if (periodic && text.substr(colon) != ":periodic") return wrong;
  std::istringstream sizes(text.substr(0, colon));
  Grid grid;
  std::int64_t cells = 1;
  for (std::string size; std::getline(sizes, size, 'x');) {
    const bool digits = !size.empty() && size.size() < 6 &&
                        std::ranges::all_of(size, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || std::stoi(size) < 1) return wrong;
    grid.sizes.push_back(std::stoi(size));
    grid.periodic.push_back(periodic);
    cells *= grid.sizes.back();
    if (cells > ranks) {
      return complaint("--cart " + text + ": more cells than " + std::to_string(ranks) + " ranks");
    }
  }
  if (grid.sizes.empty() || text.substr(0, colon).back() == 'x') return wrong;
  return grid;
}

std::optional<std::int64_t> number_in(const std::string& word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

// `from to` or `from to weight`; what is wrong with it, in words.
Result<Exchange> parse_edge(const std::vector<std::string>& words, Rank ranks) {
  if (words.size() != 2 && words.size() != 3) {
    return complaint("expected `from to` or `from to weight`");
  }
  std::array<Rank, 2> ends{};
  for (std::size_t end = 0; end < ends.size(); ++end) {
    const auto rank = number_in(words[end]);
    if (!rank || *rank >= ranks) {
      return complaint("there is no rank " + words[end] + " among " + std::to_string(ranks));
    }
    ends[end] = static_cast<Rank>(*rank);
  }
  const auto weight = number_in(words.size() == 3 ? words[2] : "1");
  if (!weight) return complaint("weight " + words[2] + ": expected a whole number of 0 or more");
  return Exchange{ends[0], ends[1], static_cast<std::uint64_t>(*weight)};
}

Result<std::vector<Exchange>> read_edges(const std::string& path, Rank ranks) {
  std::ifstream file(path);
  if (!file) return complaint("--graph " + path + ": cannot be read");
  std::vector<Exchange> edges;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream rest(line.substr(0, line.find('#')));
    const std::vector<std::string> words{std::istream_iterator<std::string>(rest), {}};
    if (words.empty()) continue;
    const auto edge = parse_edge(words, ranks);
    if (!edge.ok()) {
      return complaint(path + ", line " + std::to_string(number) + ": " + edge.error().message);
    }
    edges.push_back(edge.value());
  }
  if (edges.empty()) return complaint("--graph " + path + ": no edges");
  return edges;
}

// Of as many ranks as there are places: those that are not started exchange nothing.
Result<Program> program_of(const OrderRequest& request, Rank places) {
  if (!request.graph.empty()) {
    auto edges = read_edges(request.graph, request.ranks);
    if (!edges.ok()) return edges.error();
    return Program{CommunicationGraph(places, edges.value()), std::nullopt};
  }
  Grid grid{{request.ranks}, {true}};
  if (!request.ring) {
    auto cart = parse_cart(request.cart, request.ranks);
    if (!cart.ok()) return cart.error();
    grid = std::move(cart.value());
  }
  return Program{graph_of(grid, places), grid};
}

Result<Hosts> read_hosts(std::istream& input, Rank wanted) {
  Hosts hosts;
  std::map<std::string, std::uint32_t> number_of;
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string name;
    Rank slots = 0;
    if (!(words >> name >> slots) || slots < 1 || slots > kMostRanks) {
      return complaint("hosts: '" + line + "': expected a name and 1 or more places");
    }
    const auto next = static_cast<std::uint32_t>(hosts.names.size());
    const auto [entry, fresh] = number_of.try_emplace(name, next);
    if (fresh) hosts.names.push_back(name);
    if (hosts.of_place.size() + static_cast<std::size_t>(slots) > kMostRanks) {
      return complaint("hosts: more than " + std::to_string(kMostRanks) + " places");
    }
    hosts.of_place.insert(hosts.of_place.end(), static_cast<std::size_t>(slots), entry->second);
  }
  if (hosts.of_place.size() < static_cast<std::size_t>(wanted)) {
    return complaint("hosts: " + std::to_string(hosts.of_place.size()) +
                     " places are too few for " + std::to_string(wanted) + " ranks");
  }
  return hosts;
}

nlohmann::json told(const TrafficCost& cost, const TrafficCost& before) {
  return {{"segment_crossings", cost.segment_crossings},
          {"host_crossings", cost.host_crossings},
          {"load_percent", load_percent(cost, before)}};
}

Result<nlohmann::json> order(const OrderRequest& request, std::istream& input) {
  const auto model = read_model(request.model);
  if (!model.ok()) return model.error();
  auto hosts = read_hosts(input, request.ranks);
  if (!hosts.ok()) return hosts.error();
  const std::vector<std::uint32_t>& host_of_place = hosts.value().of_place;
  const auto places = view_of(model.value(), hosts.value().names, host_of_place);
  if (!places.ok()) return places.error();
  const auto program = program_of(request, static_cast<Rank>(host_of_place.size()));
  if (!program.ok()) return program.error();

  const NetworkTree tree(segment_rates_of(model.value()),
                         static_cast<std::uint32_t>(model.value().segments.size()));
  const auto mapping = map_ranks(program.value().graph, program.value().grid, places.value(), tree);
  nlohmann::json answer{{"hosts", nlohmann::json::array()},
                        {"before", told(mapping.before, mapping.before)},
                        {"after", told(mapping.after, mapping.before)}};
  for (Rank rank = 0; rank < request.ranks; ++rank) {
    const auto place = static_cast<std::size_t>(mapping.old_rank[static_cast<std::size_t>(rank)]);
    answer["hosts"].push_back(hosts.value().names[host_of_place[place]]);
  }
  return answer;
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  CLI::App app("On which host each rank should start; reads lines `HOST PLACES`");
  quadrille::OrderRequest request;
  app.add_option("--model", request.model, "network model, see `quadrille probe`")->required();
  app.add_option("--ranks", request.ranks, "that are started")
      ->required()
      ->check(CLI::Range(1, quadrille::kMostRanks));
  auto* pattern = app.add_option_group("pattern", "who exchanges with whom");
  pattern->add_option("--cart", request.cart, "neighbours in a grid: 4x4, 4x4:periodic");
  pattern->add_flag("--ring", request.ring, "each with the next, the last with the first");
  pattern->add_option("--graph", request.graph, "file of lines `from to weight`");
  pattern->require_option(1);
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  try {
    const auto answer = quadrille::order(request, std::cin);
    if (!answer.ok()) {
      std::cerr << "quadrille-order: " << answer.error().message << "\n";
      return quadrille::exit_code::wrong_usage;
    }
    std::cout << answer.value().dump() << "\n";
    return quadrille::exit_code::done;
  } catch (const std::exception& error) {
    std::cerr << "quadrille-order: " << error.what() << "\n";
    return quadrille::exit_code::failed;
  }
}
