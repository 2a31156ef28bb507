// SPDX-License-Identifier: BSD-3-Clause
#include "probe/reach/choose_network.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

std::vector<HostFacts> hosts(std::size_t count) {
  std::vector<HostFacts> facts(count);
  for (std::size_t i = 0; i < count; ++i) {
    facts[i].name = "h" + std::to_string(i);
    facts[i].machine = facts[i].name;
  }
  return facts;
}

TEST(ChooseNetwork, refuses_a_network_inside_each_host) {
  const CandidateNetwork docker{.name = "172.17.0.0/16",
                                .interface = {"docker0", "docker0"},
                                .address = {"172.17.0.1", "172.17.0.1"}};
  EXPECT_EQ(refusal(docker, hosts(2)),
            "h0 and h1 have the same address, 172.17.0.1: a network inside each host");
}

TEST(ChooseNetwork, refuses_a_network_that_one_host_is_on) {
  const CandidateNetwork lonely{
      .name = "10.0.0.0/8", .interface = {"eth1", "", ""}, .address = {"10.0.0.1", "", ""}};
  EXPECT_EQ(refusal(lonely, hosts(3)), "fewer than two hosts have an address on it");
}

TEST(ChooseNetwork, does_not_refuse_a_network_that_some_hosts_are_not_on) {
  const CandidateNetwork some{.name = "10.0.0.0/8",
                              .interface = {"eth1", "", "eth1"},
                              .address = {"10.0.0.1", "", "10.0.0.3"}};
  EXPECT_EQ(refusal(some, hosts(3)), std::nullopt);
}

// Hosts on which nothing may be performed: what is asked here is decided before any round.
class UntouchedNetwork : public Network {
 public:
  explicit UntouchedNetwork(std::size_t count) : hosts_(probe::hosts(count)) {}
  const std::vector<HostFacts>& hosts() const override { return hosts_; }
  const std::vector<CandidateNetwork>& networks() const override { return networks_; }
  Result<RoundResult> perform(const Round& /*round*/) override {
    return Error{ErrorKind::system, "a round was performed"};
  }
  std::int64_t elapsed_ns() const override { return 0; }

 private:
  std::vector<HostFacts> hosts_;
  std::vector<CandidateNetwork> networks_;
};

TEST(ChooseNetwork, says_that_one_host_has_nothing_to_measure) {
  UntouchedNetwork network(1);
  const auto choice = choose_network(network, Depth::full, 1);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, ErrorKind::invalid_argument);
  EXPECT_NE(choice.error().message.find("one host only"), std::string::npos);
}

TEST(ChooseNetwork, says_that_hosts_share_no_network) {
  UntouchedNetwork network(3);
  const auto choice = choose_network(network, Depth::full, 1);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, ErrorKind::unsupported);
  EXPECT_NE(choice.error().message.find("between h0, h1, h2"), std::string::npos);
}

}  // namespace
}  // namespace quadrille::probe
