// SPDX-License-Identifier: BSD-3-Clause
// For tests of links: hosts on a switch, each a network namespace of this process alone, with an
// interface eth0 of address 198.18.0.HOST. It takes privilege and iproute2; nothing of it is left
// when the process has ended.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace quadrille::wire {

class EmulatedHosts {
 public:
  static std::uint32_t address(unsigned host) { return 0xc6120000U | host; }

  // Numbered from 1; 0 is the switch, whose port for a host is p and its number. `queues`: of each
  // interface.
  explicit EmulatedHosts(unsigned count, unsigned queues = 1) {
    const std::string each =
        " numtxqueues " + std::to_string(queues) + " numrxqueues " + std::to_string(queues);
    namespaces_.resize(count + 1);
    for (int& made : namespaces_) {
      EXPECT_EQ(unshare(CLONE_NEWNET), 0) << "to test AF_XDP takes root: " << std::strerror(errno);
      made = current();
    }
    std::string of_switch = "link add sw type bridge\nlink set sw up\n";
    for (unsigned host = 1; host <= count; ++host) {
      const std::string port = "p" + std::to_string(host);
      of_switch += "link add " + port + each + " type veth peer name eth0" + each + " address " +
                   hardware(host) + " netns /proc/" + std::to_string(getpid()) + "/fd/" +
                   std::to_string(namespaces_[host]) + "\nlink set " + port + " master sw up\n";
    }
    enter(0);
    configure(of_switch);
    for (unsigned host = 1; host <= count; ++host) {
      enter(host);
      configure("link set lo up\nlink set eth0 up\n");
      wait_until_running("eth0");
      enter(0);
      wait_until_running("p" + std::to_string(host));
    }
    configure("link set sw up\n");  // done when the system is done with what has changed
    for (unsigned host = 1; host <= count; ++host) {
      std::string of_host = "addr add " + text(host) + "/24 dev eth0\n";
      for (unsigned other = 1; other <= count; ++other) {
        if (other == host) continue;
        of_host += "neigh add " + text(other) + " lladdr " + hardware(other) + " dev eth0\n";
      }
      enter(host);
      configure(of_host);
    }
    leave();
  }
  EmulatedHosts(const EmulatedHosts&) = delete;
  EmulatedHosts& operator=(const EmulatedHosts&) = delete;
  ~EmulatedHosts() {
    leave();
    for (const int one : namespaces_) close(one);
    close(own_);
  }

  // What this thread opens from now on is the host's.
  void enter(unsigned host) const { EXPECT_EQ(setns(namespaces_[host], CLONE_NEWNET), 0); }
  void leave() const { EXPECT_EQ(setns(own_, CLONE_NEWNET), 0); }

  // `commands` of ip(8) there.
  void configure(unsigned host, const std::string& commands) const {
    enter(host);
    configure(commands);
    leave();
  }

 private:
  static int current() { return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }
  static std::string text(unsigned host) { return "198.18.0." + std::to_string(host); }
  static std::string hardware(unsigned host) { return "02:00:00:00:00:0" + std::to_string(host); }

  static void configure(const std::string& commands) {
    FILE* ip = popen("ip -batch -", "w");
    ASSERT_NE(ip, nullptr);
    std::fputs(commands.c_str(), ip);
    ASSERT_EQ(pclose(ip), 0) << commands;
  }

  // The system lets nothing pass before.
  static void wait_until_running(const std::string& interface) {
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    for (int tries = 0; tries < 2000 && (request.ifr_flags & IFF_RUNNING) == 0; ++tries) {
      ioctl(descriptor, SIOCGIFFLAGS, &request);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    close(descriptor);
    ASSERT_NE(request.ifr_flags & IFF_RUNNING, 0);
  }

  int own_ = current();
  std::vector<int> namespaces_;
};

}  // namespace quadrille::wire
