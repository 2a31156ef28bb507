// SPDX-License-Identifier: BSD-3-Clause
// Test support: the links of ports of one process over the loopback interface.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "wire/links/stream_link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

constexpr std::uint32_t loopback_host = 0x7f000001;

inline Result<std::unique_ptr<UdpLink>> datagrams_on_loopback() {
  return UdpLink::open({.local = {loopback_host, 0}});
}

struct LoopbackLinks {
  std::vector<std::unique_ptr<UdpLink>> datagrams;  // [ports]
  std::vector<std::unique_ptr<StreamLink>> streams;
};

inline void open_on_loopback(std::size_t ports, LoopbackLinks& links) {
  for (std::size_t port = 0; port < ports; ++port) {
    auto datagrams = datagrams_on_loopback();
    ASSERT_TRUE(datagrams.ok()) << datagrams.error().message;
    links.datagrams.push_back(std::move(datagrams.value()));
    links.streams.push_back(StreamLink::open({loopback_host, 0}, 1472));
    ASSERT_NE(links.streams.back(), nullptr);
  }
}

}  // namespace quadrille::wire
