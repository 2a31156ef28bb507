// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/names/local_address.h"

#include <gtest/gtest.h>

namespace quadrille::fabric {
namespace {

const std::vector<LocalInterface> kInterfaces{{"lo", 0x7f000001, 0xff000000, 65536, true},
                                              {"docker0", 0xac110001, 0xffff0000, 1500, false},
                                              {"eth0", 0x0a000005, 0xffffff00, 1500, false},
                                              {"eth1", 0xc0a80105, 0xffffff00, 9000, false}};

std::string chosen(const std::vector<LocalInterface>& interfaces, const std::string& wanted) {
  const auto found = choose_interface(interfaces, wanted);
  return found.ok() ? found.value().name : "";
}

TEST(LocalAddress, bridges_of_containers_are_not_taken_and_the_loopback_only_alone) {
  EXPECT_EQ(chosen(kInterfaces, ""), "eth0");
  EXPECT_EQ(chosen({kInterfaces[0], kInterfaces[1]}, ""), "lo");
  EXPECT_EQ(chosen({}, ""), "");
}

TEST(LocalAddress, a_link_local_address_is_taken_where_there_is_no_other) {
  const LocalInterface of_controller{"usb0", 0xa9fe0001, 0xffff0000, 1500, false};
  EXPECT_EQ(chosen({kInterfaces[0], of_controller, kInterfaces[2]}, ""), "eth0");
  EXPECT_EQ(chosen({kInterfaces[0], of_controller, kInterfaces[1]}, ""), "usb0");
}

TEST(LocalAddress, a_host_with_a_network_by_ipv6_alone_does_not_fall_back_to_its_loopback) {
  const LocalInterface by_ipv6{.name = "eth0"};
  EXPECT_EQ(chosen({kInterfaces[0], by_ipv6}, ""), "");
  EXPECT_EQ(chosen({kInterfaces[0], by_ipv6}, "lo"), "lo");
  EXPECT_EQ(chosen({kInterfaces[0], by_ipv6}, "eth0"), "");
  EXPECT_EQ(chosen({kInterfaces[0], kInterfaces[2], by_ipv6}, ""), "eth0");
}

TEST(LocalAddress, an_interface_goes_by_name_address_or_network) {
  EXPECT_EQ(chosen(kInterfaces, "eth1"), "eth1");
  EXPECT_EQ(chosen(kInterfaces, "docker0"), "docker0");
  EXPECT_EQ(chosen(kInterfaces, "192.168.1.5"), "eth1");
  EXPECT_EQ(chosen(kInterfaces, "192.168.1.0/24"), "eth1");
  EXPECT_EQ(chosen(kInterfaces, "10.0.0.0/8"), "eth0");
  for (const char* wrong : {"eth2", "192.168.1.6", "10.0.0.0/33", "10.0.0.0/", "192.168.2.0/24"})
    EXPECT_EQ(chosen(kInterfaces, wrong), "") << wrong;
}

TEST(LocalAddress, the_system_lists_a_loopback) {
  const auto found = choose_interface(local_interfaces(), "127.0.0.0/8");
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value().is_loopback);
  EXPECT_GT(found.value().mtu_bytes, 1500U);
}

}  // namespace
}  // namespace quadrille::fabric
