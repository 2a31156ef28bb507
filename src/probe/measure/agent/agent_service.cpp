// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/agent_service.h"

#include <utility>

#include "probe/measure/agent/agent.h"
#include "probe/measure/byte_codec.h"
#include "probe/measure/hosts/kernel_counters.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

class Service {
 public:
  explicit Service(const AgentOptions& options)
      : options_(options), counters_(read_kernel_counters()) {}

  Result<std::string> answer(Request request, std::string_view content) {
    switch (request) {
      case Request::introduce:
        return introduction();
      case Request::tell_time:
        return time();
      case Request::open:
        return open(content);
      case Request::learn_peers:
        return learn_peers(content);
      case Request::perform:
        return perform(content);
      case Request::fetch:
        return std::exchange(long_result_, {});
      case Request::counters:
        return counters();
      case Request::settings:
        return options_.settings();
      case Request::finish:
        break;
    }
    return std::string();
  }

 private:
  std::string introduction() const {
    HostFacts facts = options_.facts();
    facts.ranks = options_.ranks;
    return encode(facts);
  }

  static std::string time() {
    ByteWriter out;
    out.signed_number(realtime_ns());
    return out.take();
  }

  Result<std::string> open(std::string_view content) {
    auto opening = decode_opening(content);
    if (!opening.ok()) return opening.error();
    networks_ = opening.value().networks.size();
    ByteWriter out;
    for (const std::uint16_t port : agent_.open(std::move(opening.value()))) out.number(port);
    return out.take();
  }

  Result<std::string> learn_peers(std::string_view content) {
    ByteReader in(content);
    const std::size_t hosts = in.number32();
    auto peers = decode_peers(in.text(), networks_, hosts);
    if (!peers.ok()) return peers.error();
    if (auto learnt = agent_.learn_peers(peers.value()); !learnt.ok()) return learnt.error();
    return std::string();
  }

  Result<std::string> perform(std::string_view content) {
    const std::int64_t came_ns = realtime_ns();
    const auto part = decode_part(content);
    if (!part.ok()) return part.error();
    auto result = agent_.perform(part.value());
    if (!result.ok()) return result.error();
    result.value().spare_ns = part.value().start_ns - came_ns;
    std::string encoded = encode(result.value());
    ByteWriter out;
    if (encoded.size() > kLongestUnasked) {
      out.number(encoded.size());
      long_result_ = std::move(encoded);
      return out.take();
    }
    out.number(kResultFollows);
    return out.take() + encoded;
  }

  std::string counters() {
    KernelCounters now = read_kernel_counters();
    std::string grown = encode(growth(counters_, now));
    counters_ = std::move(now);
    return grown;
  }

  AgentOptions options_;
  KernelCounters counters_;
  Agent agent_;
  std::size_t networks_ = 0;
  std::string long_result_;
};

}  // namespace

std::string message(Request request, std::string_view content) {
  std::string text(1, static_cast<char>(request));
  text += content;
  return text;
}

Result<std::string_view> content_of(Request request, std::string_view message) {
  if (!message.empty() && message.front() == static_cast<char>(request)) return message.substr(1);
  return Error{ErrorKind::corrupt,
               "a control message of " + std::to_string(message.size()) +
                   " bytes is no answer to the question; are all hosts running the same version?"};
}

Result<bool> serve(ControlChannel& channel, const AgentOptions& options) {
  Service service(options);
  for (;;) {
    const auto asked = channel.receive(0, options.patience_ns);
    if (!asked.ok()) return asked.error();
    const std::string& question = asked.value();
    if (question.empty() || question.front() > static_cast<char>(Request::finish)) {
      return Error{ErrorKind::corrupt, "a control message of " + std::to_string(question.size()) +
                                           " bytes asks for nothing that is known; are all hosts "
                                           "running the same version?"};
    }
    const auto request = static_cast<Request>(question.front());
    auto answer = service.answer(request, std::string_view(question).substr(1));
    if (!answer.ok()) return answer.error();
    auto sent = channel.send(0, message(request, answer.value()));
    if (!sent.ok()) return sent;
    if (request == Request::finish) return channel.flush(options.patience_ns);
  }
}

}  // namespace quadrille::probe
