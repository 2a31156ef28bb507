// SPDX-License-Identifier: BSD-3-Clause
// quadrille_wire_pair RANK: messages over the wire between two processes on loopback, without MPI,
// so that either may be of another architecture. What one writes on its standard output is the
// other's standard input. Tells on standard error what arrived, and ends with 0 where all was
// right.
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "apps/exit_codes.h"
#include "apps/pingpong/measure.h"

namespace {

using namespace quadrille;
using namespace quadrille::pingpong;

constexpr double kSeconds = 0.2;

// `function` is read or write. The other process may have ended.
template <typename Function, typename Byte>
void all_of(Function function, int descriptor, std::span<Byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = function(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) std::exit(exit_code::failed);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

bool run(int rank) {
  WaySettings settings;
  settings.rank = rank;
  settings.address = INADDR_LOOPBACK;
  settings.exchange = [](std::span<const std::byte> own, std::span<std::byte> other) {
    all_of(::write, STDOUT_FILENO, own);
    all_of(::read, STDIN_FILENO, other);
  };
  const auto way = wire_way(settings, wire::LinkKind::udp);
  if (!way.ok()) {
    std::fprintf(stderr, "quadrille: %s\n", way.error().message.c_str());
    return false;
  }
  for (const Pattern pattern : {Pattern::pingpong, Pattern::bidirectional}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                                    std::size_t{65'537}, std::size_t{1'000'000}}) {
      const Shape shape{.pattern = pattern, .bytes = bytes};
      const auto found = measure(*way.value(), settings, shape, kSeconds);
      if (!found) return false;
      if (rank == 0)
        std::fprintf(stderr, "%s bytes=%zu messages=%llu correct=%d\n", name_of(pattern), bytes,
                     static_cast<unsigned long long>(found->messages), found->correct);
      if (!found->correct) return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view rank = argc == 2 ? argv[1] : "";
  if (rank != "0" && rank != "1") {
    std::fprintf(stderr, "quadrille: write quadrille_wire_pair 0 or 1\n");
    return exit_code::wrong_usage;
  }
  return run(rank == "0" ? 0 : 1) ? exit_code::done : exit_code::failed;
}
