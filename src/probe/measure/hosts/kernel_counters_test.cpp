// SPDX-License-Identifier: BSD-3-Clause
// The kernel's files, as they look on Linux 6, and damaged ones.
#include "probe/measure/hosts/kernel_counters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace quadrille::probe {
namespace {

class KernelCountersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  std::filesystem::path root_;
};

TEST_F(KernelCountersTest, are_found_under_their_names) {
  write("proc/net/snmp",
        "Tcp: OutSegs RetransSegs InErrs\nTcp: 100 7 0\n"
        "Udp: InDatagrams InErrors RcvbufErrors\nUdp: 50 2 1\n");
  write("proc/net/netstat", "TcpExt: TCPTimeouts\nTcpExt: 3\n");
  write("proc/net/softnet_stat", "0000ffff 00000002 00000010\n00000001 00000001 00000000\n");
  write("sys/class/net/eth0/statistics/rx_dropped", "4\n");
  write("sys/class/net/lo/statistics/rx_dropped", "9\n");
  const KernelCounters counters = read_kernel_counters(root_);
  EXPECT_EQ(counters.at("tcp_retransmitted_segments"), 7U);
  EXPECT_EQ(counters.at("udp_receive_buffer_errors"), 1U);
  EXPECT_EQ(counters.at("tcp_retransmission_timeouts"), 3U);
  EXPECT_EQ(counters.at("softnet_dropped"), 3U);
  EXPECT_EQ(counters.at("softnet_squeezed"), 16U);
  EXPECT_EQ(counters.at("eth0.rx_dropped"), 4U);
  EXPECT_EQ(counters.count("lo.rx_dropped"), 0U);
}

TEST_F(KernelCountersTest, what_the_host_does_not_tell_is_absent) {
  write("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 100\nUdp: InErrors\n");
  EXPECT_TRUE(read_kernel_counters(root_).empty());
}

TEST_F(KernelCountersTest, growth_leaves_out_what_is_known_once_only) {
  const KernelCounters grown =
      growth({{"a", 5}, {"b", 1}, {"c", 9}}, {{"a", 8}, {"c", 2}, {"d", 3}});
  EXPECT_EQ(grown, (KernelCounters{{"a", 3}, {"c", 0}}));
}

TEST_F(KernelCountersTest, come_back_from_bytes) {
  const KernelCounters counters{{"eth0.rx_dropped", 12}, {"tcp_sent_segments", 1ULL << 40U}};
  const std::string bytes = encode(counters);
  const auto decoded = decode_counters(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded.value(), counters);
  EXPECT_FALSE(decode_counters(bytes.substr(0, bytes.size() - 1)).ok());
}

}  // namespace
}  // namespace quadrille::probe
