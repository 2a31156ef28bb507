// SPDX-License-Identifier: BSD-3-Clause
#include "apps/soak/memory.h"

#include <fstream>
#include <sstream>

namespace quadrille::soak {
namespace {

std::string contents(const char* path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::int64_t number_behind(const std::string& text, const std::string& name,
                           const std::string& field) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != name) continue;
    while (!field.empty() && words >> word && word != field) {
    }
    std::int64_t number = 0;
    if (words >> number) return number;
  }
  return 0;
}

Memory read_memory() {
  const std::string own = contents("/proc/self/status");
  const std::string sockets = contents("/proc/self/net/sockstat");
  return {.resident_kib = number_behind(own, "VmRSS:"),
          .anonymous_kib = number_behind(own, "RssAnon:"),
          .threads = number_behind(own, "Threads:"),
          .sockets = number_behind(sockets, "sockets:", "used"),
          .tcp_pages = number_behind(sockets, "TCP:", "mem"),
          .udp_pages = number_behind(sockets, "UDP:", "mem"),
          .kernel_kib = number_behind(contents("/proc/meminfo"), "SUnreclaim:")};
}

}  // namespace quadrille::soak
