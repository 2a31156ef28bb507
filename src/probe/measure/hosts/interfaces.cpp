// SPDX-License-Identifier: BSD-3-Clause
// From getifaddrs and /sys/class/net.
#include "probe/measure/hosts/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <memory>
#include <thread>

#include "probe/measure/byte_codec.h"
#include "probe/measure/hosts/host_identity.h"

namespace quadrille::probe {
namespace {

std::string driver_says(const std::string& interface, const char* what) {
  std::string value;
  std::ifstream("/sys/class/net/" + interface + "/" + what) >> value;
  return value;
}

// A driver that does not know, or an interface without a link, gives nothing, -1 or an error.
std::int64_t number_or_none(const std::string& text) {
  std::int64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || value > 1'000'000'000) return 0;
    value = value * 10 + (digit - '0');
  }
  return value;
}

std::string dotted(const sockaddr* address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(address);
  inet_ntop(AF_INET, &ipv4->sin_addr, text.data(), text.size());
  return text.data();
}

Interface describe(const ifaddrs& entry) {
  Interface found;
  found.name = entry.ifa_name;
  found.address = dotted(entry.ifa_addr);
  if (entry.ifa_netmask != nullptr) {
    const auto* mask = reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask);
    found.prefix_bits = static_cast<std::uint32_t>(std::popcount(mask->sin_addr.s_addr));
  }
  found.mtu_bytes = static_cast<std::uint32_t>(number_or_none(driver_says(found.name, "mtu")));
  found.speed_bit_s = number_or_none(driver_says(found.name, "speed")) * 1'000'000;
  found.full_duplex = driver_says(found.name, "duplex") != "half";
  found.physical = access(("/sys/class/net/" + found.name + "/device").c_str(), F_OK) == 0;
  return found;
}

std::vector<Interface> own_interfaces() {
  ifaddrs* entries = nullptr;
  if (getifaddrs(&entries) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(entries, freeifaddrs);
  std::vector<Interface> interfaces;
  for (const ifaddrs* entry = entries; entry != nullptr; entry = entry->ifa_next) {
    const bool usable = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0 &&
                        (entry->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable || entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    interfaces.push_back(describe(*entry));
  }
  return interfaces;
}

// Of the whole host, whatever few cores the launcher has bound this rank to.
std::uint32_t own_cores() {
  return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

HostFacts own_facts() {
  return {own_host_name(), machine_identity(), own_cores(), 1, own_interfaces()};
}

std::string encode(const HostFacts& facts) {
  ByteWriter out;
  out.text(facts.name);
  out.text(facts.machine);
  out.number(facts.cores);
  out.number(facts.ranks);
  out.number(facts.interfaces.size());
  for (const Interface& interface : facts.interfaces) {
    out.text(interface.name);
    out.text(interface.address);
    out.number(interface.prefix_bits);
    out.number(interface.mtu_bytes);
    out.signed_number(interface.speed_bit_s);
    out.number(interface.full_duplex ? 1 : 0);
    out.number(interface.physical ? 1 : 0);
  }
  return out.take();
}

Result<HostFacts> decode_facts(std::string_view bytes) {
  ByteReader in(bytes);
  HostFacts facts;
  facts.name = in.text();
  facts.machine = in.text();
  facts.cores = in.number32();
  facts.ranks = in.number32();
  facts.interfaces.resize(in.count());
  for (Interface& interface : facts.interfaces) {
    interface.name = in.text();
    interface.address = in.text();
    interface.prefix_bits = static_cast<std::uint32_t>(in.at_most(32));
    interface.mtu_bytes = in.number32();
    interface.speed_bit_s = in.signed_number();
    interface.full_duplex = in.flag();
    interface.physical = in.flag();
  }
  if (in.complete()) return facts;
  return Error{ErrorKind::corrupt,
               "what a host says of itself (" + std::to_string(bytes.size()) +
                   " bytes) cannot be read; are all hosts running the same version?"};
}

}  // namespace quadrille::probe
