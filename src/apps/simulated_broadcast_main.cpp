// SPDX-License-Identifier: BSD-3-Clause
// quadrille-simulated-broadcast: how long broadcasts take among hosts of one simulated switch, by
// multicast and by a binomial tree of messages, both by the same datagram protocol. Hosts have no
// processors there, links all the time that they need: what is shown is the protocol alone, for
// more hosts than a machine can emulate. One JSON object a number of hosts. Exit codes: 0 done, 1
// wrong data or no end, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

constexpr std::uint64_t kOnePacket = 1400;
constexpr Nanoseconds kNoEnd{60'000'000'000};

struct Request {
  std::vector<std::uint32_t> hosts{2, 4, 8, 16, 32, 64, 128};
  std::uint64_t bytes = 20'000;
  double rate_mbit = 100;
  double loss_percent = 0;
  std::uint64_t seed = 1;
  bool in_turn = false;

  void add_to(CLI::App& app) {
    app.add_option("--hosts", hosts, "numbers of hosts")
        ->delimiter(',')
        ->check(CLI::Range(2, 1024));
    app.add_option("--bytes", bytes, "of a message")->check(CLI::Range(1, 1 << 24));
    app.add_option("--rate", rate_mbit, "Mbit/s of a host's cable")->check(CLI::Range(0.1, 1e5));
    app.add_option("--loss", loss_percent, "percent of all datagrams, each copy of its own")
        ->check(CLI::Range(0.0, 50.0));
    app.add_option("--seed", seed, "of what is lost");
    app.add_flag("--in-turn", in_turn, "each host broadcasts, when it has those of all before it");
  }
};

enum class Way : std::uint8_t { multicast, binomial };

// Broadcasts of a row, from `roots`; a host takes part in the next when it is through with one.
class Row {
 public:
  Row(SimulatedNetwork& network, std::uint32_t hosts, std::uint64_t bytes, Way way)
      : network_(network), way_(way), bytes_(bytes), group_(hosts), at_(hosts), to_send_(hosts) {
    std::iota(group_.begin(), group_.end(), 0U);
  }

  // Returns how long the row takes to the last host's last message.
  Nanoseconds run(const std::vector<EndpointId>& roots) {
    const Nanoseconds began = network_.now();
    roots_ = roots;
    std::fill(at_.begin(), at_.end(), 0);
    messages_.clear();
    for (std::size_t call = 0; call < roots.size(); ++call)
      messages_.push_back(begin_message(call));
    for (const EndpointId host : group_) enter(host);
    last_ = began;
    std::uint64_t incomplete = network_.incomplete();
    while (through_ < group_.size() && network_.run_once(kNoEnd)) {
      if (network_.incomplete() == incomplete) continue;
      go_on();
      incomplete = network_.incomplete();
    }
    const bool all_through = through_ == group_.size();
    through_ = 0;
    right_ = right_ && all_through && network_.run(kNoEnd);
    return last_ - began;
  }
  bool right() const { return right_; }

 private:
  struct Message {
    std::vector<std::byte> sent;
    std::vector<std::vector<std::byte>> received;  // [hosts]
  };

  std::unique_ptr<Message> begin_message(std::size_t call) {
    auto message = std::make_unique<Message>();
    message->sent.resize(bytes_);
    for (std::size_t i = 0; i < bytes_; ++i)
      message->sent[i] = static_cast<std::byte>(1 + (i * 7 + call * 31 + rows_) % 255);
    message->received.assign(group_.size(), std::vector<std::byte>(bytes_));
    message->received[roots_[call]] = message->sent;
    if (call == 0) ++rows_;
    return message;
  }

  std::uint32_t vrank(EndpointId host, EndpointId root) const {
    const auto hosts = static_cast<std::uint32_t>(group_.size());
    return (host + hosts - root) % hosts;
  }
  EndpointId host_at(std::uint32_t vrank, EndpointId root) const {
    return (vrank + root) % static_cast<std::uint32_t>(group_.size());
  }

  // `host` makes the call that is its next: roots send and are through, others receive.
  void enter(EndpointId host) {
    while (at_[host] < roots_.size()) {
      const std::size_t call = at_[host];
      const EndpointId root = roots_[call];
      if (host == root) {
        send(call, host);
        ++at_[host];
        continue;
      }
      auto& into = messages_[call]->received[host];
      if (way_ == Way::multicast) {
        network_.receive_from_group(host, root, {group_}, into, ++handle_);
      } else {
        const std::uint32_t mine = vrank(host, root);
        network_.receive(host, host_at(mine & (mine - 1), root), into, ++handle_);
      }
      return;
    }
    ++through_;
    last_ = network_.now();
  }

  // To all, or to the children of a binomial tree, the largest subtree first and one after the
  // other, as blocking sends do; what is one packet waits for nothing.
  void send(std::size_t call, EndpointId host) {
    const EndpointId root = roots_[call];
    if (way_ == Way::multicast) {
      if (host == root) network_.send_to_group(host, {group_}, messages_[call]->sent, ++handle_);
      return;
    }
    const std::uint32_t mine = vrank(host, root);
    std::uint32_t distance = 1;
    while (distance < group_.size() && (mine & distance) == 0) distance *= 2;
    for (distance /= 2; distance > 0; distance /= 2) {
      if (mine + distance >= group_.size()) continue;
      to_send_[host].push_back({call, host_at(mine + distance, root)});
      if (bytes_ <= kOnePacket || to_send_[host].size() == 1) send_to(host, to_send_[host].back());
    }
  }
  struct Child {
    std::size_t call = 0;
    EndpointId host = 0;
  };
  void send_to(EndpointId host, const Child& child) {
    network_.send(host, child.host, messages_[child.call]->sent, ++handle_);
  }
  void send_on(EndpointId host) {
    auto& children = to_send_[host];
    while (!children.empty() && has(children.front().host, children.front().call)) {
      children.pop_front();
      if (bytes_ > kOnePacket && !children.empty()) send_to(host, children.front());
    }
  }
  bool has(EndpointId host, std::size_t call) const {
    return messages_[call]->received[host] == messages_[call]->sent;
  }

  // Whoever has got its message passes it on and makes its next call.
  void go_on() {
    for (const EndpointId host : group_) {
      send_on(host);
      while (at_[host] < roots_.size() && has(host, at_[host])) {
        send(at_[host], host);
        ++at_[host];
        enter(host);
      }
    }
  }

  SimulatedNetwork& network_;
  Way way_;
  std::uint64_t bytes_;
  std::vector<EndpointId> group_;
  std::vector<std::size_t> at_;             // [hosts]: the call it is in
  std::vector<std::deque<Child>> to_send_;  // [hosts]: those that have not got it
  std::vector<EndpointId> roots_;
  std::vector<std::unique_ptr<Message>> messages_;  // [calls]
  std::size_t through_ = 0;
  std::uint64_t rows_ = 0;
  Nanoseconds last_{};
  Handle handle_ = 0;
  bool right_ = true;
};

// Of the second row: by then ends know each other. Nothing where data were wrong.
nlohmann::json time_of(const Request& request, std::uint32_t hosts, Way way) {
  SimulatedSettings settings;
  settings.endpoints = hosts;
  settings.rate_bit_s = request.rate_mbit * 1e6;
  settings.loss = request.loss_percent / 100;
  settings.seed = request.seed;
  settings.endpoint.limits.unscheduled = 200;
  settings.endpoint.limits.group_ahead = 4;
  SimulatedNetwork network(settings);
  Row row(network, hosts, request.bytes, way);
  std::vector<EndpointId> roots(request.in_turn ? hosts : 1);
  std::iota(roots.begin(), roots.end(), 0U);
  row.run(roots);
  network.pass({20'000'000});
  const Nanoseconds taken = row.run(roots);
  if (!row.right()) return nullptr;
  return taken.value;
}

int run(const Request& request) {
  for (const std::uint32_t hosts : request.hosts) {
    const auto multicast = time_of(request, hosts, Way::multicast);
    const auto binomial = time_of(request, hosts, Way::binomial);
    if (multicast.is_null() || binomial.is_null()) {
      std::cerr << "quadrille-simulated-broadcast: wrong data among " << hosts << " hosts\n";
      return exit_code::failed;
    }
    const nlohmann::ordered_json line{{"hosts", hosts},
                                      {"bytes", request.bytes},
                                      {"multicast_ns", multicast},
                                      {"binomial_ns", binomial}};
    std::cout << line.dump() << '\n' << std::flush;
  }
  return exit_code::done;
}

}  // namespace
}  // namespace quadrille::wire

int main(int argc, char** argv) {
  CLI::App app{"Times broadcasts on a simulated switch, by multicast and by a binomial tree."};
  quadrille::wire::Request request;
  request.add_to(app);
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  return quadrille::wire::run(request);
}
