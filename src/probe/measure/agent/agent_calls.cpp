// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/agent_calls.h"

#include <utility>

namespace quadrille::probe {

Error AgentCalls::naming(HostIndex host, const Error& error) const {
  const std::string name =
      host < names_.size() ? "host " + names_[host] : "host number " + std::to_string(host);
  return {error.kind, name + ", while " + purpose_ + ": " + error.message};
}

Result<bool> AgentCalls::ask(HostIndex host, Request request, std::string_view content) {
  auto sent = channel_.send(host, message(request, content));
  if (!sent.ok()) return naming(host, sent.error());
  return sent;
}

Result<std::string> AgentCalls::answer(HostIndex host, Request request, std::int64_t patience_ns) {
  const auto received = channel_.receive(host, patience_ns);
  if (!received.ok()) return naming(host, received.error());
  const auto content = content_of(request, received.value());
  if (!content.ok()) return naming(host, content.error());
  return std::string(content.value());
}

Result<std::vector<std::string>> AgentCalls::ask_all(Request request, std::string_view content,
                                                     bool one_by_one) {
  std::vector<std::string> answers(hosts());
  for (HostIndex host = 1; host < hosts() && !one_by_one; ++host) {
    if (auto asked = ask(host, request, content); !asked.ok()) return asked.error();
  }
  for (HostIndex host = 1; host < hosts(); ++host) {
    if (one_by_one) {
      if (auto asked = ask(host, request, content); !asked.ok()) return asked.error();
    }
    auto received = answer(host, request);
    if (!received.ok()) return received.error();
    answers[host] = std::move(received.value());
  }
  return answers;
}

Result<std::vector<std::string>> AgentCalls::ask_each(Request request,
                                                      const std::vector<std::string>& contents) {
  std::vector<std::string> answers(hosts());
  for (HostIndex host = 1; host < hosts(); ++host) {
    if (auto asked = ask(host, request, contents[host]); !asked.ok()) return asked.error();
  }
  for (HostIndex host = 1; host < hosts(); ++host) {
    auto received = answer(host, request);
    if (!received.ok()) return received.error();
    answers[host] = std::move(received.value());
  }
  return answers;
}

}  // namespace quadrille::probe
