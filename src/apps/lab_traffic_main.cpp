// SPDX-License-Identifier: BSD-3-Clause
// quadrille-lab-traffic: what `quadrille lab` needs done for every frame. It works on sockets that
// it is given open, until it is ended.
//   quadrille-lab-traffic delay --ends 5 6 --delay-ns 300000 [--jitter-ns N] [--seed N]
//   quadrille-lab-traffic ambient --frame-bytes 1000 [--seed N] --flow SOCKET:MEAN_GAP_NS:HEADER...
// HEADER: the first bytes of the flow's frames, in hexadecimal; zeros follow.
// Exit codes: 1 something failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "apps/exit_codes.h"
#include "apps/lab/forwarding.h"
#include "apps/lab/paced_flows.h"
#include "apps/parse_options.h"

namespace quadrille::lab {
namespace {

struct Request {
  std::array<int, 2> ends{};
  std::int64_t delay_ns = 0;
  std::int64_t jitter_ns = 0;
  std::uint64_t seed = 1;
  std::size_t frame_bytes = 0;
  std::vector<std::string> flows;
};

// The number that `text` begins with up to `end`, which is taken off with it.
template <typename Number>
bool take_number(std::string_view& text, Number& number, char end) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(parsed.ptr - text.data());
  if (parsed.ec != std::errc{} || length >= text.size() || text[length] != end) return false;
  text.remove_prefix(length + 1);
  return true;
}

std::optional<PacedFlow> flow_of(std::string_view text, std::size_t frame_bytes) {
  PacedFlow flow;
  if (!take_number(text, flow.socket, ':') || !take_number(text, flow.mean_gap_ns, ':') ||
      flow.mean_gap_ns <= 0)
    return std::nullopt;
  for (; text.size() >= 2; text.remove_prefix(2)) {
    unsigned char byte = 0;
    const char* first = &text.front();
    if (std::from_chars(first, first + 2, byte, 16).ptr != first + 2) return std::nullopt;
    flow.frame.push_back(static_cast<char>(byte));
  }
  if (!text.empty()) return std::nullopt;
  flow.frame.resize(frame_bytes);
  return flow;
}

int delay(const Request& request) {
  const auto line = [&](std::uint64_t seed) {
    return DelayLine(request.delay_ns, request.jitter_ns, seed);
  };
  const int failed = forward(request.ends, {line(request.seed), line(request.seed + 1)});
  std::fprintf(stderr, "quadrille-lab-traffic: %s\n", std::strerror(failed));
  return exit_code::failed;
}

int ambient(const Request& request) {
  std::vector<PacedFlow> flows;
  for (const std::string& text : request.flows) {
    auto flow = flow_of(text, request.frame_bytes);
    if (!flow) {
      std::fprintf(stderr, "quadrille-lab-traffic: --flow %s: not SOCKET:MEAN_GAP_NS:HEADER\n",
                   text.c_str());
      return exit_code::wrong_usage;
    }
    flows.push_back(std::move(*flow));
  }
  send_for_ever(flows, request.seed);
}

}  // namespace
}  // namespace quadrille::lab

int main(int argc, char** argv) {
  using namespace quadrille;
  CLI::App app{"What `quadrille lab` needs done for every frame, on sockets given open."};
  app.require_subcommand(1);
  lab::Request request;
  auto* delay = app.add_subcommand("delay", "forward between two ends, each frame delayed");
  delay->add_option("--ends", request.ends, "packet sockets")->required();
  delay->add_option("--delay-ns", request.delay_ns)->required()->check(CLI::NonNegativeNumber);
  delay->add_option("--jitter-ns", request.jitter_ns)->check(CLI::NonNegativeNumber);
  delay->add_option("--seed", request.seed);
  auto* ambient = app.add_subcommand("ambient", "send frames at random moments");
  ambient->add_option("--frame-bytes", request.frame_bytes)
      ->required()
      ->check(CLI::Range(14, 65536));
  ambient->add_option("--seed", request.seed);
  ambient->add_option("--flow", request.flows, "SOCKET:MEAN_GAP_NS:HEADER")->required();
  if (const auto code = parse_options(app, argc, argv)) return *code;
  return delay->parsed() ? lab::delay(request) : lab::ambient(request);
}
