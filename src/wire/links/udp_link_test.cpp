// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/udp_link.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace quadrille::wire {
namespace {

TEST(UdpLink, tells_how_much_the_system_keeps_until_it_is_received) {
  constexpr std::size_t largest = 1472;
  const NetworkAddress loopback{0x7f000001, 0};
  const auto narrow = std::move(
      UdpLink::open({.local = loopback, .datagram_bytes = largest, .receive_buffer_bytes = 65'536})
          .value());
  const auto wide = std::move(UdpLink::open({.local = loopback}).value());
  EXPECT_LT(narrow->receive_queue(), wide->receive_queue());
  std::size_t sent = 0;
  for (; sent < 4 * narrow->receive_queue(); ++sent) {
    wide->room();
    wide->add(narrow->local(), largest);
    ASSERT_TRUE(wide->flush());
  }
  std::size_t arrived = 0;
  for (std::size_t some = 1; some > 0; arrived += some) some = narrow->receive().size();
  EXPECT_GE(arrived, narrow->receive_queue());
  EXPECT_LT(arrived, sent);
}

}  // namespace
}  // namespace quadrille::wire
