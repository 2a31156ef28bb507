// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/host_settings.h"

#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "probe/measure/hosts/host_identity.h"
#include "probe/measure/hosts/host_settings_ethtool.h"
#include "probe/measure/hosts/host_settings_files.h"
#include "probe/measure/hosts/host_settings_links.h"
#include "probe/measure/hosts/host_settings_netlink.h"

namespace quadrille::probe {
namespace {

using nlohmann::json;
using Path = std::filesystem::path;

// By these the MPI libraries are told which interface to use. None of them holds a secret.
constexpr std::array interface_choices{
    "OMPI_MCA_btl",       "OMPI_MCA_btl_tcp_if_include",
    "OMPI_MCA_pml",       "OMPI_MCA_btl_tcp_if_exclude",
    "OMPI_MCA_mtl",       "OMPI_MCA_mtl_ofi_provider_include",
    "FI_PROVIDER",        "FI_TCP_IFACE",
    "FI_SOCKETS_IFACE",   "UCX_TLS",
    "UCX_NET_DEVICES",    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "I_MPI_OFI_PROVIDER", "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE",
    "I_MPI_HYDRA_IFACE",  "MPICH_INTERFACE_HOSTNAME",
};

void add_processor(const Path& root, json& settings) {
  const auto load = first_line(root / "proc/loadavg");
  const auto words = words_in(load.value_or(""));
  if (words.size() >= 3) put(settings, "load_average_1_min", decimal_number(words[0]));
  // "cpu  user nice system idle iowait irq softirq steal ...", ticks since the start
  const auto ticks = words_in(first_line(root / "proc/stat").value_or(""));
  double sum = 0;
  for (std::size_t i = 1; i < std::min<std::size_t>(ticks.size(), 9); ++i) {
    sum += decimal_number(ticks[i]).value_or(0);
  }
  if (ticks.size() >= 9 && sum > 0) {
    settings["steal_share_since_boot"] = decimal_number(ticks[8]).value_or(0) / sum;
  }
  // "some avg10=1.53 avg60=...": per cent of the time in which somebody waited for a core
  const auto pressure = words_in(first_line(root / "proc/pressure/cpu").value_or(""));
  if (pressure.size() >= 2 && pressure[1].starts_with("avg10=")) {
    put(settings, "cpu_pressure_percent_10_s", decimal_number(pressure[1].substr(6)));
  }
}

void add_tcp(const Path& root, bool ask_kernel, json& settings) {
  const Path folder = root / "proc/sys/net/ipv4";
  json tcp = json::object();
  put(tcp, "congestion_control", first_line(folder / "tcp_congestion_control"));
  if (const auto available = first_line(folder / "tcp_available_congestion_control")) {
    tcp["available"] = words_in(*available);
  }
  put(tcp, "rto_min_us", number_in(folder / "tcp_rto_min_us"));
  if (ask_kernel) put(tcp, "routes", routes_with_tcp_settings());
  settings["tcp"] = std::move(tcp);
}

void add_buffers(const Path& root, json& settings) {
  const Path core = root / "proc/sys/net/core";
  json buffers = json::object();
  put(buffers, "rmem_max_bytes", number_in(core / "rmem_max"));
  put(buffers, "rmem_default_bytes", number_in(core / "rmem_default"));
  put(buffers, "wmem_max_bytes", number_in(core / "wmem_max"));
  put(buffers, "netdev_max_backlog_packets", number_in(core / "netdev_max_backlog"));
  const auto udp = words_in(first_line(root / "proc/sys/net/ipv4/udp_mem").value_or(""));
  if (udp.size() == 3) put(buffers, "udp_mem_most_pages", whole_number(udp[2]));
  settings["buffers"] = std::move(buffers);
}

json interface_of(const Path& folder, bool ask_kernel) {
  json entry{{"name", folder.filename().string()}};
  std::error_code problem;
  entry["physical"] = std::filesystem::exists(folder / "device", problem);
  put(entry, "state", first_line(folder / "operstate"));
  put(entry, "mtu_bytes", number_in(folder / "mtu"));
  if (const auto speed = number_in(folder / "speed"); speed && *speed > 0) {
    entry["speed_mbit_s"] = *speed;
  }
  if (const auto duplex = first_line(folder / "duplex"); duplex && *duplex != "unknown") {
    entry["duplex"] = *duplex;
  }
  json counters = json::object();
  for (const char* name : {"rx_dropped", "tx_dropped", "rx_errors", "tx_errors", "rx_missed_errors",
                           "rx_crc_errors", "collisions"}) {
    put(counters, name, number_in(folder / "statistics" / name));
  }
  entry["counters_since_up"] = std::move(counters);
  if (ask_kernel) add_driver_settings(folder.filename(), entry);
  return entry;
}

void add_interfaces(const Path& root, bool ask_kernel, json& settings) {
  std::error_code problem;
  std::vector<Path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root / "sys/class/net", problem)) {
    if (entry.path().filename() != "lo" && entry.is_directory(problem)) {
      folders.push_back(entry.path());
    }
  }
  std::ranges::sort(folders);
  json interfaces = json::array();
  for (const Path& folder : folders) interfaces.push_back(interface_of(folder, ask_kernel));
  settings["interfaces"] = std::move(interfaces);
}

// A line for each interface, "2 eth0 : 1 V3", and below it one, indented, for each of its groups:
// the address in hexadecimal, in the byte order of the host.
json groups_joined(const Path& file) {
  json groups = json::array();
  std::string interface;
  for (const std::string& line : lines_of(file)) {
    const auto words = words_in(line);
    if (words.size() < 2) continue;
    const bool indented = line[0] == '\t' || line[0] == ' ';
    const auto address = hexadecimal_number(words[0]);
    if (!indented) {
      interface = words[1];
    } else if (address) {
      std::string dotted;
      for (const unsigned shift : {0U, 8U, 16U, 24U}) {
        dotted += (shift == 0 ? "" : ".") + std::to_string(*address >> shift & 0xffU);
      }
      groups.push_back({{"interface", interface}, {"group", dotted}});
    }
  }
  return groups;
}

void add_multicast(const Path& root, json& settings) {
  json multicast{{"groups", groups_joined(root / "proc/net/igmp")}};
  std::error_code problem;
  const Path folder = root / "proc/sys/net/ipv4/conf";
  json forced = json::object();
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const auto version = number_in(entry.path() / "force_igmp_version");
    if (version && *version > 0) forced[entry.path().filename().string()] = *version;
  }
  multicast["forced_igmp_version"] = std::move(forced);
  settings["multicast"] = std::move(multicast);
}

void add_clock(json& settings) {
  timex state{};
  const int answer = adjtimex(&state);
  if (answer < 0) return;
  // The frequency is stated in parts per million with 16 bits of fraction.
  settings["clock"] = {{"synchronised", (state.status & STA_UNSYNC) == 0 && answer != TIME_ERROR},
                       {"correction_ppm", static_cast<double>(state.freq) / 65536},
                       {"most_error_us", state.maxerror}};
}

void add_container(const Path& root, json& settings) {
  std::error_code problem;
  json container = json::object();
  if (std::filesystem::exists(root / ".dockerenv", problem)) container["kind"] = "docker";
  if (std::filesystem::exists(root / "run/.containerenv", problem)) container["kind"] = "podman";
  // "0::/path" names this process's group below the unified hierarchy.
  const std::string own = first_line(root / "proc/self/cgroup").value_or("");
  const Path group =
      root / "sys/fs/cgroup" / Path(own.starts_with("0::") ? own.substr(3) : "").relative_path();
  const auto limit = words_in(first_line(group / "cpu.max").value_or(""));
  if (limit.size() == 2 && whole_number(limit[0]) && whole_number(limit[1]).value_or(0) > 0) {
    container["cpu_limit_cores"] =
        static_cast<double>(*whole_number(limit[0])) / static_cast<double>(*whole_number(limit[1]));
  }
  put(container, "memory_limit_bytes", number_in(group / "memory.max"));
  if (!container.empty()) settings["container"] = std::move(container);
  if (const auto most = number_in(root / "proc/sys/user/max_user_namespaces")) {
    const auto allowed = number_in(root / "proc/sys/kernel/unprivileged_userns_clone");
    settings["user_namespaces"] = *most > 0 && allowed.value_or(1) != 0;
  }
}

void add_firewall(const Path& root, bool ask_kernel, json& settings) {
  json firewall = json::object();
  // Readable by root alone; a kernel without iptables has no such file.
  std::error_code problem;
  const Path tables = root / "proc/net/ip_tables_names";
  if (std::filesystem::exists(tables, problem) && access(tables.c_str(), R_OK) == 0) {
    firewall["iptables_tables"] = lines_of(tables);
  }
  if (ask_kernel) put(firewall, "nftables_tables", nftables_tables());
  settings["firewall"] = std::move(firewall);
}

void add_mpi_choices(const Path& root, json& settings) {
  json chosen = json::object();
  for (const char* variable : interface_choices) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
    if (const char* value = std::getenv(variable)) chosen[variable] = value;
  }
  settings["mpi_environment"] = std::move(chosen);
  json lines = json::array();
  for (std::string& line : lines_of(root / "etc/openmpi/openmpi-mca-params.conf")) {
    const bool chooses = line.find("tcp_if_") != std::string::npos;
    if (chooses && !line.starts_with('#')) lines.push_back(std::move(line));
  }
  if (!lines.empty()) settings["open_mpi_parameters"] = std::move(lines);
}

}  // namespace

std::string host_settings_json(const SettingsSources& sources) {
  const Path& root = sources.root;
  json settings = json::object();
  put(settings, "kernel", first_line(root / "proc/sys/kernel/osrelease"));
  settings["cores"] = sysconf(_SC_NPROCESSORS_ONLN);
  add_processor(root, settings);
  add_tcp(root, sources.ask_kernel, settings);
  add_buffers(root, settings);
  add_interfaces(root, sources.ask_kernel, settings);
  add_multicast(root, settings);
  add_container(root, settings);
  add_firewall(root, sources.ask_kernel, settings);
  add_mpi_choices(root, settings);
  if (sources.ask_kernel) {
    settings["machine"] = machine_identity();
    add_clock(settings);
    settings["links"] = usable_links(root);
  }
  // What the kernel tells need not be UTF-8.
  return settings.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace quadrille::probe
