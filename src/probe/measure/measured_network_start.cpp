// SPDX-License-Identifier: BSD-3-Clause
// What comes before rounds: who the hosts are, on which networks, and what their clocks say.
#include <algorithm>
#include <random>
#include <utility>

#include "probe/measure/byte_codec.h"
#include "probe/measure/hosts/candidates.h"
#include "probe/measure/hosts/interfaces.h"
#include "probe/measure/measured_network.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t first_margin_ns = 10'000'000;
constexpr std::int64_t first_margin_a_host_ns = 300'000;
constexpr int clock_questions = 3;

std::uint64_t random_job() {
  std::random_device source;
  return (std::uint64_t{source()} << 32U) | source();
}

Error unreadable(const HostFacts& host, const char* what) {
  return {ErrorKind::corrupt, "host " + host.name + " sends " + what +
                                  " that cannot be read; is it running the same version?"};
}

}  // namespace

MeasuredNetwork::MeasuredNetwork(ControlChannel& channel, MeasureOptions options)
    : agents_(channel),
      options_(std::move(options)),
      clocks_(channel.hosts()),
      own_clock_(channel.hosts()),
      trip_ns_(channel.hosts()),
      job_(random_job()),
      margin_(first_margin_ns + first_margin_a_host_ns * channel.hosts()),
      own_counters_(read_kernel_counters()),
      began_ns_(steady_ns()) {}

Result<std::unique_ptr<MeasuredNetwork>> MeasuredNetwork::open(ControlChannel& channel,
                                                               MeasureOptions options) {
  auto network = std::unique_ptr<MeasuredNetwork>(new MeasuredNetwork(channel, std::move(options)));
  if (auto learnt = network->learn_hosts(); !learnt.ok()) return learnt.error();
  if (auto learnt = network->learn_clocks(); !learnt.ok()) return learnt.error();
  if (auto opened = network->open_sockets(); !opened.ok()) return opened.error();
  return network;
}

Result<bool> MeasuredNetwork::learn_hosts() {
  agents_.set_purpose("learning what the hosts are");
  const auto introductions = agents_.ask_all(Request::introduce);
  if (!introductions.ok()) return introductions.error();
  hosts_.push_back(options_.own.facts());
  hosts_[0].ranks = options_.own.ranks;
  for (HostIndex host = 1; host < agents_.hosts(); ++host) {
    auto facts = decode_facts(introductions.value()[host]);
    if (!facts.ok()) return facts.error();
    hosts_.push_back(std::move(facts.value()));
  }
  std::vector<std::string> names;
  for (const HostFacts& host : hosts_) names.push_back(host.name);
  agents_.name_hosts(std::move(names));
  const std::string wanted =
      options_.interface.empty() ? wanted_by_mpi_settings() : options_.interface;
  networks_ = candidate_networks(hosts_, wanted);
  return true;
}

// Coarsely, by control messages: as well as is needed to begin a round together in which clocks are
// aligned by datagrams.
Result<bool> MeasuredNetwork::learn_clocks() {
  agents_.set_purpose("comparing clocks");
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    own_clock_[host] =
        host == 0 || (options_.trust_shared_clock && hosts_[host].machine == hosts_[0].machine);
    for (int asked = 0; asked < clock_questions && !own_clock_[host]; ++asked) {
      const std::int64_t before_ns = realtime_ns();
      if (auto sent = agents_.ask(host, Request::tell_time); !sent.ok()) return sent.error();
      const auto answered = agents_.answer(host, Request::tell_time);
      if (!answered.ok()) return answered.error();
      const std::int64_t after_ns = realtime_ns();
      ByteReader in(answered.value());
      const std::int64_t told_ns = in.signed_number();
      if (!in.complete()) return unreadable(hosts_[host], "a time");
      const std::int64_t middle_ns = before_ns + (after_ns - before_ns) / 2;
      clocks_[host].learn({middle_ns, told_ns - middle_ns, (after_ns - before_ns) / 2});
    }
  }
  return true;
}

bool MeasuredNetwork::oversubscribed(const HostFacts& host) const {
  const auto on_machine = std::ranges::count(hosts_, host.machine, &HostFacts::machine);
  return static_cast<std::size_t>(on_machine) > host.cores;
}

JobOpening MeasuredNetwork::opening_for(HostIndex host) const {
  JobOpening opening{job_, host, oversubscribed(hosts_[host]), {}};
  for (const CandidateNetwork& network : networks_) {
    JobOpening::OwnAddress own{network.address[host], 0, 0};
    const auto interface =
        std::ranges::find(hosts_[host].interfaces, network.address[host], &Interface::address);
    if (interface != hosts_[host].interfaces.end()) {
      own.mtu_bytes = interface->mtu_bytes;
      // What a virtual interface states is a constant of its driver.
      if (interface->physical) own.speed_bit_s = interface->speed_bit_s;
    }
    opening.networks.push_back(std::move(own));
  }
  return opening;
}

Result<bool> MeasuredNetwork::open_sockets() {
  agents_.set_purpose("opening sockets");
  std::vector<std::string> openings;
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    openings.push_back(encode(opening_for(host)));
  }
  const auto opened = agents_.ask_each(Request::open, openings);
  if (!opened.ok()) return opened.error();
  const std::vector<std::uint16_t> own_ports = own_agent_.open(opening_for(0));
  Peers peers(networks_.size(), std::vector<Endpoint>(hosts_.size()));
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    ByteReader in(opened.value()[host]);
    for (std::size_t network = 0; network < networks_.size(); ++network) {
      std::string& address = networks_[network].address[host];
      const auto port =
          host == 0 ? own_ports[network] : static_cast<std::uint16_t>(in.at_most(65535));
      if (port == 0) address.clear();  // an address without a socket is of no use
      peers[network][host] = {parse_address(address), port};
    }
    if (!in.complete()) return unreadable(hosts_[host], "ports");
  }
  ByteWriter out;
  out.number(hosts_.size());
  out.text(encode(peers));
  const auto learnt = agents_.ask_all(Request::learn_peers, out.take());
  if (!learnt.ok()) return learnt.error();
  return own_agent_.learn_peers(peers);
}

Result<std::vector<KernelCounters>> MeasuredNetwork::counters() {
  agents_.set_purpose("reading the kernel's counters");
  const auto answers = agents_.ask_all(Request::counters);
  if (!answers.ok()) return answers.error();
  KernelCounters own = read_kernel_counters();
  std::vector<KernelCounters> counters{growth(own_counters_, own)};
  own_counters_ = std::move(own);
  for (HostIndex host = 1; host < hosts_.size(); ++host) {
    auto decoded = decode_counters(answers.value()[host]);
    if (!decoded.ok()) return decoded.error();
    counters.push_back(std::move(decoded.value()));
  }
  return counters;
}

Result<std::vector<std::string>> MeasuredNetwork::settings() {
  agents_.set_purpose("reading the hosts' settings");
  auto answers = agents_.ask_all(Request::settings, {}, true);
  if (answers.ok()) answers.value()[0] = options_.own.settings();
  return answers;
}

Result<bool> MeasuredNetwork::finish() {
  agents_.set_purpose("ending");
  const auto answers = agents_.ask_all(Request::finish);
  if (!answers.ok()) return answers.error();
  return true;
}

}  // namespace quadrille::probe
