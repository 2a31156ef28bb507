// SPDX-License-Identifier: BSD-3-Clause
// Settings are read from the kernel's files, and what is not there is left out, not invented.
#include "probe/measure/hosts/host_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "probe/measure/hosts/host_settings_ethtool.h"

namespace quadrille::probe {
namespace {

using nlohmann::json;

class HostSettings : public testing::Test {
 protected:
  HostSettings()
      : root_(std::filesystem::temp_directory_path() /
              ("host_settings_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~HostSettings() override { std::filesystem::remove_all(root_); }

  void file(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << content;
  }
  json settings() const {
    return json::parse(host_settings_json({.root = root_, .ask_kernel = false}));
  }

 private:
  std::filesystem::path root_;
};

TEST_F(HostSettings, tcp_and_buffers_are_read_with_their_units) {
  file("proc/sys/net/ipv4/tcp_congestion_control", "bbr\n");
  file("proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic bbr\n");
  file("proc/sys/net/ipv4/tcp_rto_min_us", "200000\n");
  file("proc/sys/net/ipv4/udp_mem", "191016\t254690\t382032\n");
  file("proc/sys/net/core/rmem_max", "212992\n");
  const json found = settings();
  EXPECT_EQ(found["tcp"]["congestion_control"], "bbr");
  EXPECT_THAT(found["tcp"]["available"], testing::ElementsAre("reno", "cubic", "bbr"));
  EXPECT_EQ(found["tcp"]["rto_min_us"], 200000);
  EXPECT_EQ(found["buffers"]["rmem_max_bytes"], 212992);
  EXPECT_EQ(found["buffers"]["udp_mem_most_pages"], 382032);
}

TEST_F(HostSettings, the_processor_tells_load_steal_and_pressure) {
  file("proc/loadavg", "3.50 1.00 0.50 2/345 6789\n");
  file("proc/stat", "cpu  50 0 25 100 0 0 0 25 0 0\ncpu0 1 2 3\n");
  file("proc/pressure/cpu", "some avg10=12.50 avg60=3.00 avg300=1.00 total=5\n");
  const json found = settings();
  EXPECT_EQ(found["load_average_1_min"], 3.5);
  EXPECT_DOUBLE_EQ(found["steal_share_since_boot"], 0.125);
  EXPECT_EQ(found["cpu_pressure_percent_10_s"], 12.5);
}

TEST_F(HostSettings, interfaces_are_listed_by_name_without_the_loopback) {
  file("sys/class/net/lo/mtu", "65536\n");
  file("sys/class/net/eth1/mtu", "9000\n");
  file("sys/class/net/eth0/mtu", "1500\n");
  file("sys/class/net/eth0/speed", "100\n");
  file("sys/class/net/eth0/duplex", "half\n");
  file("sys/class/net/eth0/device/vendor", "0x8086\n");
  file("sys/class/net/eth0/statistics/rx_dropped", "17\n");
  file("sys/class/net/eth1/speed", "-1\n");
  const json found = settings()["interfaces"];
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0]["name"], "eth0");
  EXPECT_EQ(found[0]["speed_mbit_s"], 100);
  EXPECT_EQ(found[0]["duplex"], "half");
  EXPECT_EQ(found[0]["physical"], true);
  EXPECT_EQ(found[0]["counters_since_up"]["rx_dropped"], 17);
  EXPECT_EQ(found[1]["mtu_bytes"], 9000);
  EXPECT_EQ(found[1]["physical"], false);
  EXPECT_FALSE(found[1].contains("speed_mbit_s"));
}

TEST_F(HostSettings, multicast_groups_are_dotted_and_a_forced_version_is_told) {
  file("proc/net/igmp",
       "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
       "2\teth0      :     1      V3\n"
       "\t\t\t\t010000E0     1 0:00000000\t\t0\n");
  file("proc/sys/net/ipv4/conf/eth0/force_igmp_version", "2\n");
  file("proc/sys/net/ipv4/conf/eth1/force_igmp_version", "0\n");
  const json found = settings()["multicast"];
  ASSERT_EQ(found["groups"].size(), 1);
  EXPECT_EQ(found["groups"][0]["group"], "224.0.0.1");
  EXPECT_EQ(found["groups"][0]["interface"], "eth0");
  EXPECT_EQ(found["forced_igmp_version"], (json{{"eth0", 2}}));
}

TEST_F(HostSettings, limits_of_the_own_control_group_are_told) {
  file("proc/self/cgroup", "0::/job\n");
  file("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  file("sys/fs/cgroup/job/memory.max", "max\n");
  file("proc/sys/user/max_user_namespaces", "0\n");
  const json found = settings();
  EXPECT_EQ(found["container"]["cpu_limit_cores"], 1.5);
  EXPECT_FALSE(found["container"].contains("memory_limit_bytes"));
  EXPECT_EQ(found["user_namespaces"], false);
}

TEST_F(HostSettings, choices_of_an_interface_for_mpi_are_found_in_environment_and_file) {
  file("etc/openmpi/openmpi-mca-params.conf",
       "# btl_tcp_if_include = eth9\nbtl_tcp_if_include = eth1\nmpi_show_handle_leaks = 1\n");
  setenv("OMPI_MCA_btl_tcp_if_include", "docker0", 1);
  const json found = settings();
  unsetenv("OMPI_MCA_btl_tcp_if_include");
  EXPECT_EQ(found["mpi_environment"]["OMPI_MCA_btl_tcp_if_include"], "docker0");
  EXPECT_THAT(found["open_mpi_parameters"], testing::ElementsAre("btl_tcp_if_include = eth1"));
}

TEST_F(HostSettings, an_empty_system_gives_an_object_without_values) {
  const json found = settings();
  EXPECT_FALSE(found.contains("kernel"));
  EXPECT_FALSE(found.contains("load_average_1_min"));
  EXPECT_EQ(found["tcp"], json::object());
  EXPECT_EQ(found["interfaces"], json::array());
}

TEST_F(HostSettings, damaged_files_are_as_good_as_missing_ones) {
  file("proc/loadavg", "\xff\xfe\n");
  file("proc/stat", "cpu  a b c\n");
  file("proc/net/igmp", "\n\t\n\t zz zz\n");
  file("proc/sys/net/core/rmem_max", "99999999999999999999999999\n");
  file("proc/sys/kernel/osrelease", "\xff\n");
  const json found = settings();
  EXPECT_FALSE(found.contains("load_average_1_min"));
  EXPECT_FALSE(found["buffers"].contains("rmem_max_bytes"));
  EXPECT_EQ(found["multicast"]["groups"], json::array());
}

TEST(HostSettingsOfThisMachine, name_kernel_links_and_clock) {
  const json found = json::parse(host_settings_json());
  EXPECT_FALSE(found["kernel"].get<std::string>().empty());
  EXPECT_GE(found["cores"], 1);
  EXPECT_FALSE(found["machine"].get<std::string>().empty());
  EXPECT_TRUE(found["links"]["udp"]["usable"]);
  for (const auto& [name, link] : found["links"].items()) {
    EXPECT_EQ(link["usable"].get<bool>(), link["missing"].empty()) << name;
  }
}

TEST(DriverSettings, the_loopback_tells_what_it_cuts) {
  json entry;
  add_driver_settings("lo", entry);
  ASSERT_TRUE(entry.contains("offloads"));
  EXPECT_TRUE(entry["offloads"]["tso"].is_boolean());
  EXPECT_TRUE(entry["offloads"]["udp_segmentation"].is_boolean());
  add_driver_settings("no such interface", entry = json());
  EXPECT_FALSE(entry.contains("offloads"));
}

}  // namespace
}  // namespace quadrille::probe
