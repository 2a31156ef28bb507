// SPDX-License-Identifier: BSD-3-Clause
// The coordinator's side of the control channel: questions to the other hosts' agents. An error
// names the host and what was being done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/measure/agent/agent_service.h"
#include "probe/measure/control_channel.h"

namespace quadrille::probe {

class AgentCalls {
 public:
  explicit AgentCalls(ControlChannel& channel) : channel_(channel) {}

  HostIndex hosts() const { return channel_.hosts(); }
  void name_hosts(std::vector<std::string> names) { names_ = std::move(names); }
  // What is being done from now on, for errors: "measuring: idle light datagrams".
  void set_purpose(std::string purpose) { purpose_ = std::move(purpose); }

  Result<bool> ask(HostIndex host, Request request, std::string_view content = {});
  Result<bool> flush(std::int64_t patience_ns) { return channel_.flush(patience_ns); }
  Result<std::string> answer(HostIndex host, Request request,
                             std::int64_t patience_ns = default_patience_ns);
  // The same question to all; [hosts], the coordinator's own is empty. One after the other where
  // answers are long.
  Result<std::vector<std::string>> ask_all(Request request, std::string_view content = {},
                                           bool one_by_one = false);
  // A question of its own to each; `contents` and the answers by host.
  Result<std::vector<std::string>> ask_each(Request request,
                                            const std::vector<std::string>& contents);

  static constexpr std::int64_t default_patience_ns = 8'000'000'000;

 private:
  Error naming(HostIndex host, const Error& error) const;

  ControlChannel& channel_;
  std::vector<std::string> names_;
  std::string purpose_ = "starting";
};

}  // namespace quadrille::probe
