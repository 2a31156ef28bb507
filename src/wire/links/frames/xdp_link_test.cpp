// SPDX-License-Identifier: BSD-3-Clause
// What AF_XDP alone has to do, between hosts on a switch; see link_test.cpp for what all links do.
#include "wire/links/frames/xdp_link.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "base/monotonic_clock.h"
#include "wire/links/emulated_hosts.h"
#include "wire/links/numbered_datagrams.h"
#include "wire/links/open_link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kLargestXdp = 1472;
constexpr Nanoseconds kPatience{2'000'000'000};

// As the kernel writes a set of them: hexadecimal, of 32 a number.
std::string all_cores() {
  const auto count = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF));
  std::ostringstream set;
  set << std::hex << (1ULL << count % 32) - 1;
  for (unsigned i = 0; i < count / 32; ++i) set << ",ffffffff";
  return set.str();
}

class Xdp : public testing::Test {
 protected:
  Result<std::unique_ptr<XdpLink>> try_open(unsigned host,
                                            std::size_t largest = kLargestXdp) const {
    hosts_.enter(host);
    const NetworkAddress local{EmulatedHosts::address(host), 0};
    auto opened = XdpLink::open(local, {.host = local, .datagram_bytes = largest, .alone = true});
    hosts_.leave();
    return opened;
  }
  std::unique_ptr<XdpLink> open(unsigned host, std::size_t largest = kLargestXdp) const {
    auto opened = try_open(host, largest);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return std::move(opened.value());
  }
  std::unique_ptr<UdpLink> open_udp(unsigned host, std::size_t largest = kLargestXdp) const {
    hosts_.enter(host);
    auto opened =
        UdpLink::open({.local = {EmulatedHosts::address(host), 0}, .datagram_bytes = largest});
    hosts_.leave();
    EXPECT_TRUE(opened.ok());
    return std::move(opened.value());
  }
  static void send(Link& from, const Link& to, std::size_t length) {
    ASSERT_TRUE(add_numbered(from, to, length));
    ASSERT_TRUE(from.flush());
  }
  // How many arrive, of `count`.
  static std::size_t arrivals(Link& at, std::size_t count) {
    std::size_t found = 0;
    const Nanoseconds end = monotonic_now() + kPatience;
    while (found < count && monotonic_now() < end) {
      const std::size_t some = at.receive().size();
      found += some;
      if (some == 0 && !at.has_more()) wait_for_arrival(at, Nanoseconds{10'000'000});
    }
    return found;
  }

  // The host has its address on a part of its interface (macvlan), whose driver runs no programs.
  void move_to_part(unsigned host) const {
    const std::string own = "198.18.0." + std::to_string(host);
    const std::string other = std::to_string(3 - host);
    const std::string hardware = "02:00:00:00:01:0" + std::to_string(host);
    hosts_.configure(host, "addr del " + own +
                               "/24 dev eth0\n"
                               "link add part link eth0 address " +
                               hardware +
                               " type macvlan mode bridge\n"
                               "link set part up\naddr add " +
                               own + "/24 dev part\nneigh add 198.18.0." + other +
                               " lladdr 02:00:00:00:00:0" + other + " dev part\n");
    hosts_.configure(3 - host, "neigh replace " + own + " lladdr " + hardware + " dev eth0\n");
  }

  EmulatedHosts hosts_{2, 2};
};

TEST_F(Xdp, has_an_interface_for_one_link_and_another_gets_the_next_kind) {
  const auto first = open(1);
  const auto second = try_open(1);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            "eth0 has an XDP program already, of another rank or of other software");
  hosts_.enter(1);
  const auto found = open_link(LinkKind::xdp, {.local = {EmulatedHosts::address(1), 0}});
  hosts_.leave();
  ASSERT_TRUE(found.ok());
  EXPECT_STREQ(found.value().link->name(), "packet");
  EXPECT_EQ(found.value().why_not, second.error().message);
}

TEST_F(Xdp, leaves_the_interface_as_it_was_when_its_process_is_killed) {
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto link = try_open(1);
    const char done = link.ok() ? 'y' : 'n';
    if (write(told[1], &done, 1) == 1) pause();
    _exit(1);
  }
  char done = 0;
  ASSERT_EQ(read(told[0], &done, 1), 1);
  EXPECT_EQ(done, 'y');
  EXPECT_FALSE(try_open(1).ok());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(try_open(1).ok());
  for (const int descriptor : told) close(descriptor);
}

TEST_F(Xdp, takes_what_is_for_its_port_and_leaves_the_kernel_all_else) {
  const auto link = open(2);
  const auto beside = open_udp(2);
  const auto from = open_udp(1);
  send(*from, *beside, 100);
  EXPECT_EQ(arrivals(*beside, 1), 1U);
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 1U);
}

TEST_F(Xdp, drops_what_a_switch_floods_that_is_for_another_hardware_address) {
  const auto link = open(2);
  const auto from = open_udp(1);
  hosts_.configure(1, "neigh replace 198.18.0.2 lladdr 02:00:00:00:00:77 dev eth0");
  send(*from, *link, 100);
  hosts_.configure(1, "neigh replace 198.18.0.2 lladdr 02:00:00:00:00:02 dev eth0");
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 1U);
  hosts_.configure(2, "link set eth0 address 02:00:00:00:00:77");
  hosts_.configure(1, "neigh replace 198.18.0.2 lladdr 02:00:00:00:00:77 dev eth0");
  // It is this one's now, of which the link knows within 10 ms.
  std::this_thread::sleep_for(std::chrono::milliseconds(15));
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
}

TEST_F(Xdp, receives_what_comes_in_fragments_by_its_udp_socket) {
  constexpr std::size_t largest = 3000;
  const auto link = open(2, largest);
  const auto from = open_udp(1, largest);
  send(*from, *link, largest);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 0U);
  const auto back = open(1, largest);
  for (int i = 0; i < 3; ++i) {
    send(*back, *link, largest);
    EXPECT_EQ(arrivals(*link, 1), 1U) << "as it does not fit into a frame";
  }
  EXPECT_EQ(back->frames().sent, 0U);
}

TEST_F(Xdp, receives_frames_without_the_drivers_help_and_uncut_messages_by_its_udp_socket) {
  move_to_part(2);
  const auto link = open(2);
  const auto from = open_udp(1);
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 1U);
  for (std::size_t i = 0; i < SendBatch::longest_run; ++i)
    ASSERT_TRUE(add_numbered(*from, *link, kLargestXdp));
  ASSERT_TRUE(from->flush());
  EXPECT_EQ(from->sent_in_runs(), SendBatch::longest_run);
  EXPECT_EQ(arrivals(*link, SendBatch::longest_run), SendBatch::longest_run);
  EXPECT_EQ(link->frames().received, 1U);
}

TEST_F(Xdp, has_a_socket_on_every_receive_queue) {
  const auto link = open(2);
  const auto from = open_udp(1);
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 1U);
  // From now on all cores send by the port's other queue (XPS; Linux, networking/scaling).
  hosts_.enter(0);
  const std::string command = "unshare -m sh -c 'mount -t sysfs none /sys && echo " + all_cores() +
                              " > /sys/class/net/p2/queues/tx-1/xps_cpus'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  hosts_.leave();
  send(*from, *link, 100);
  EXPECT_EQ(arrivals(*link, 1), 1U);
  EXPECT_EQ(link->frames().received, 2U);
}

TEST_F(Xdp, is_refused_where_frames_are_longer_than_its_memory_takes) {
  hosts_.configure(1, "link set eth0 mtu 9000");
  const auto refused = try_open(1, 8000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "eth0 carries frames of 8042 bytes, AF_XDP takes up to 3840");
  EXPECT_TRUE(try_open(1, 3000).ok());
}

TEST_F(Xdp, wakes_who_waits_for_room_when_frames_have_left) {
  move_to_part(1);  // what leaves by it passes the queue of the interface below
  hosts_.enter(1);
  ASSERT_EQ(std::system("tc qdisc add dev eth0 root tbf rate 20mbit burst 3000 limit 100000"), 0);
  hosts_.leave();
  const auto from = open(1);
  const auto to = open(2);
  send(*from, *to, 10);
  ASSERT_EQ(arrivals(*to, 1), 1U);
  const Nanoseconds before = monotonic_now();
  std::size_t waits = 0;
  for (int i = 0; i < 64; ++i) {
    while (!add_numbered(*from, *to, kLargestXdp)) {
      if (from->flush()) continue;
      ++waits;
      wait_for_arrival(*from, kPatience);
    }
  }
  while (!from->flush()) wait_for_arrival(*from, kPatience);
  EXPECT_EQ(arrivals(*to, 64), 64U);
  const double ms = static_cast<double>((monotonic_now() - before).value) / 1e6;
  EXPECT_GT(ms, 30) << "64 frames take 39 ms at 20 Mbit/s";
  EXPECT_LT(ms, 1000);
  EXPECT_GT(waits, 5U);
  EXPECT_LT(waits, 200U) << "does not spin";
}

}  // namespace
}  // namespace quadrille::wire
