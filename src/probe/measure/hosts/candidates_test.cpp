// SPDX-License-Identifier: BSD-3-Clause
// Which networks hosts may share, by what they say of their interfaces.
#include "probe/measure/hosts/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Interface interface(std::string name, std::string address, std::uint32_t bits,
                    bool physical = false) {
  return {std::move(name), std::move(address), bits, 1500, 0, true, physical};
}

HostFacts host(std::vector<Interface> interfaces) {
  HostFacts facts;
  facts.interfaces = std::move(interfaces);
  return facts;
}

TEST(Candidates, one_for_each_subnet_that_hosts_share) {
  const auto found = candidate_networks(
      {host({interface("eth0", "198.18.0.1", 16), interface("adm0", "198.19.0.1", 16)}),
       host({interface("eth0", "198.18.0.2", 16), interface("adm0", "198.19.0.2", 16)})},
      "");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "198.18.0.0/16");
  EXPECT_THAT(found[0].address, ElementsAre("198.18.0.1", "198.18.0.2"));
  EXPECT_THAT(found[1].interface, ElementsAre("adm0", "adm0"));
  EXPECT_FALSE(found[0].preferred);
}

TEST(Candidates, a_wanted_name_comes_first) {
  const std::vector<HostFacts> hosts{
      host({interface("eth0", "10.0.0.1", 8), interface("ib0", "192.168.1.1", 24)}),
      host({interface("eth0", "10.0.0.2", 8), interface("ib0", "192.168.1.2", 24)})};
  for (const char* wanted : {"ib0", "eth7,ib0", "192.168.1.0/24", "10.9.9.9,192.168.1.2"}) {
    const auto found = candidate_networks(hosts, wanted);
    ASSERT_THAT(found, SizeIs(2)) << wanted;
    EXPECT_EQ(found[0].name, "192.168.1.0/24") << wanted;
    EXPECT_TRUE(found[0].preferred);
    EXPECT_FALSE(found[1].preferred);
  }
}

TEST(Candidates, hosts_of_different_subnets_meet_by_the_routers) {
  const auto found = candidate_networks(
      {host({interface("docker0", "172.17.0.1", 16), interface("eth0", "10.0.1.5", 24, true)}),
       host({interface("docker0", "172.17.0.1", 16), interface("eth0", "10.0.2.5", 24, true)})},
      "");
  ASSERT_THAT(found, SizeIs(2));
  const auto routed = std::ranges::find(found, "routed", &CandidateNetwork::name);
  ASSERT_NE(routed, found.end());
  EXPECT_THAT(routed->address, ElementsAre("10.0.1.5", "10.0.2.5"));
}

TEST(Candidates, a_host_that_lacks_the_subnet_has_no_address_on_it) {
  const auto found = candidate_networks(
      {host({interface("eth0", "10.0.0.1", 24)}), host({interface("eth0", "10.0.0.2", 24)}),
       host({interface("eth0", "10.9.0.3", 24)})},
      "");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "routed");
  EXPECT_THAT(found[1].address, ElementsAre("10.0.0.1", "10.0.0.2", ""));
}

TEST(Candidates, hosts_without_interfaces_have_no_network) {
  EXPECT_THAT(candidate_networks({host({}), host({})}, "eth0"), IsEmpty());
  EXPECT_THAT(candidate_networks({host({interface("eth0", "10.0.0.1", 24)})}, ""), IsEmpty());
}

}  // namespace
}  // namespace quadrille::probe
