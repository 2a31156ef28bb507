// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/host_settings_links.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "probe/measure/hosts/host_settings_files.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

namespace quadrille::probe {
namespace {

using nlohmann::json;

// What an AF_XDP link shares with the kernel: 4 MiB of frames that arrive, and some that leave.
constexpr rlim_t xdp_memory_bytes = 5U << 20U;

// Why a socket could not be opened; empty: it could.
std::string refusal(int family, int type) {
  // Protocol 0: a packet socket that receives nothing.
  const int descriptor = socket(family, type | SOCK_CLOEXEC, 0);
  if (descriptor >= 0) {
    close(descriptor);
    return {};
  }
  if (errno == EPERM || errno == EACCES) return "CAP_NET_RAW";
  if (errno == EAFNOSUPPORT) return "support in the kernel";
  return std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

std::optional<std::uint64_t> capabilities(const std::filesystem::path& root) {
  for (const std::string& line : lines_of(root / "proc/self/status")) {
    const auto words = words_in(line);
    if (words.size() == 2 && words[0] == "CapEff:") return hexadecimal_number(words[1]);
  }
  return std::nullopt;
}

bool in_first_user_namespace(const std::filesystem::path& root) {
  const auto map = first_line(root / "proc/self/uid_map");
  return !map || words_in(*map) == std::vector<std::string>{"0", "0", "4294967295"};
}

std::vector<std::string> missing_for_xdp(const std::filesystem::path& root) {
  std::vector<std::string> missing;
  if (std::string why = refusal(AF_XDP, SOCK_RAW); !why.empty()) missing.push_back(std::move(why));
  const std::uint64_t held = capabilities(root).value_or(0);
  const auto has = [held](unsigned capability) { return (held >> capability & 1U) != 0; };
  if (!has(CAP_BPF) && !has(CAP_SYS_ADMIN)) missing.emplace_back("CAP_BPF");
  if (!has(CAP_NET_ADMIN)) missing.emplace_back("CAP_NET_ADMIN");
  if (!in_first_user_namespace(root)) {
    missing.emplace_back("the host's own user namespace, from which alone programs are loaded");
  }
  rlimit locked{};
  if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur < xdp_memory_bytes &&
      !has(CAP_IPC_LOCK)) {
    missing.push_back("a limit of locked memory of 5 MiB (it is " +
                      std::to_string(locked.rlim_cur >> 10U) + " KiB)");
  }
  return missing;
}

json entry(const std::vector<std::string>& missing) {
  return {{"usable", missing.empty()}, {"missing", missing}};
}

std::vector<std::string> none_or(const std::string& refused) {
  return refused.empty() ? std::vector<std::string>{} : std::vector<std::string>{refused};
}

}  // namespace

json usable_links(const std::filesystem::path& root) {
  return {{"udp", entry(none_or(refusal(AF_INET, SOCK_DGRAM)))},
          {"packet", entry(none_or(refusal(AF_PACKET, SOCK_RAW)))},
          {"xdp", entry(missing_for_xdp(root))}};
}

}  // namespace quadrille::probe
