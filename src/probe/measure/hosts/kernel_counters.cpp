// SPDX-License-Identifier: BSD-3-Clause
// From /proc/net/snmp, /proc/net/netstat, /proc/net/softnet_stat and /sys/class/net.
#include "probe/measure/hosts/kernel_counters.h"

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include "probe/measure/byte_codec.h"

namespace quadrille::probe {
namespace {

// Errors of sending are left out: a sender that lets its interface pace it makes them all the time.
struct Wanted {
  const char* group;
  const char* kernel_name;
  const char* name;
};

constexpr std::array<Wanted, 9> wanted{{
    {"Tcp:", "OutSegs", "tcp_sent_segments"},
    {"Tcp:", "RetransSegs", "tcp_retransmitted_segments"},
    {"TcpExt:", "TCPTimeouts", "tcp_retransmission_timeouts"},
    {"TcpExt:", "TCPLostRetransmit", "tcp_lost_retransmissions"},
    {"TcpExt:", "TCPFastRetrans", "tcp_fast_retransmissions"},
    {"Udp:", "InDatagrams", "udp_received_datagrams"},
    {"Udp:", "InErrors", "udp_receive_errors"},
    {"Udp:", "RcvbufErrors", "udp_receive_buffer_errors"},
    {"Ip:", "InDiscards", "ip_received_discarded"},
}};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

bool parse(const std::string& text, int base, std::uint64_t& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value, base).ec == std::errc{};
}

// Both files come in pairs of lines: a group and its names, the group again and its values.
void read_pairs(const std::filesystem::path& path, KernelCounters& counters) {
  std::ifstream file(path);
  for (std::string names, values; std::getline(file, names) && std::getline(file, values);) {
    const std::vector<std::string> name = words_of(names);
    const std::vector<std::string> value = words_of(values);
    if (name.size() != value.size()) continue;
    for (std::size_t i = 1; i < name.size(); ++i) {
      for (const Wanted& one : wanted) {
        std::uint64_t number = 0;
        if (name[0] == one.group && name[i] == one.kernel_name && parse(value[i], 10, number)) {
          counters[one.name] = number;
        }
      }
    }
  }
}

// A line for each core, hexadecimal; the second column counts drops, the third ends of patience.
void read_softnet(const std::filesystem::path& path, KernelCounters& counters) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> column = words_of(line);
    std::uint64_t dropped = 0;
    std::uint64_t squeezed = 0;
    if (column.size() < 3 || !parse(column[1], 16, dropped) || !parse(column[2], 16, squeezed)) {
      continue;
    }
    counters["softnet_dropped"] += dropped;
    counters["softnet_squeezed"] += squeezed;
  }
}

void read_interfaces(const std::filesystem::path& folder, KernelCounters& counters) {
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const std::string interface = entry.path().filename();
    if (interface == "lo") continue;
    for (const char* name : {"rx_packets", "tx_packets", "rx_dropped", "tx_dropped", "rx_errors",
                             "tx_errors", "collisions"}) {
      std::uint64_t value = 0;
      std::ifstream file(entry.path() / "statistics" / name);
      if (file >> value) counters[interface + "." + name] = value;
    }
  }
}

}  // namespace

KernelCounters read_kernel_counters(const std::filesystem::path& root) {
  KernelCounters counters;
  read_pairs(root / "proc/net/snmp", counters);
  read_pairs(root / "proc/net/netstat", counters);
  read_softnet(root / "proc/net/softnet_stat", counters);
  read_interfaces(root / "sys/class/net", counters);
  return counters;
}

KernelCounters growth(const KernelCounters& before, const KernelCounters& after) {
  KernelCounters grown;
  for (const auto& [name, value] : after) {
    const auto earlier = before.find(name);
    if (earlier == before.end()) continue;
    grown[name] = value >= earlier->second ? value - earlier->second : 0;
  }
  return grown;
}

std::string encode(const KernelCounters& counters) {
  ByteWriter out;
  out.number(counters.size());
  for (const auto& [name, value] : counters) {
    out.text(name);
    out.number(value);
  }
  return out.take();
}

Result<KernelCounters> decode_counters(std::string_view bytes) {
  ByteReader in(bytes);
  KernelCounters counters;
  for (std::size_t left = in.count(); left > 0 && !in.failed(); --left) {
    const std::string name(in.text());
    counters[name] = in.number();
  }
  if (in.complete()) return counters;
  return Error{ErrorKind::corrupt, "a host's kernel counters (" + std::to_string(bytes.size()) +
                                       " bytes) cannot be read; are all hosts running the same "
                                       "version?"};
}

}  // namespace quadrille::probe
