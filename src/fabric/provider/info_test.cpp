// SPDX-License-Identifier: BSD-3-Clause
// What fi_getinfo() finds for hints.
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <functional>
#include <map>
#include <string>

#include "fabric/provider/provider_fixture.h"

namespace quadrille::fabric {
namespace {

// Hints that ask for nothing, with all structures there to ask for something in them.
struct Asked {
  fi_tx_attr transmit{};
  fi_rx_attr receive{};
  fi_ep_attr endpoint{};
  fi_domain_attr domain{};
  fi_fabric_attr fabric{};
  fi_info info{};

  int answer(fi_info** found) {
    info.tx_attr = &transmit;
    info.rx_attr = &receive;
    info.ep_attr = &endpoint;
    info.domain_attr = &domain;
    info.fabric_attr = &fabric;
    return fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, &info, found);
  }
};

TEST(Hints, hints_for_more_than_there_is_find_nothing) {
  std::string other = "eth0";
  using Ask = std::function<void(Asked&)>;
  const std::map<std::string, Ask> asks = {
      {"remote reads", [](Asked& hints) { hints.info.caps = FI_TAGGED | FI_READ; }},
      {"fences", [](Asked& hints) { hints.info.caps = FI_TAGGED | FI_FENCE; }},
      {"sources of errors", [](Asked& hints) { hints.info.caps = FI_MSG | FI_SOURCE_ERR; }},
      {"atomics of a context", [](Asked& hints) { hints.transmit.caps = FI_ATOMIC; }},
      {"fenced sends", [](Asked& hints) { hints.transmit.op_flags = FI_FENCE; }},
      {"sends to storage", [](Asked& hints) { hints.transmit.op_flags = FI_COMMIT_COMPLETE; }},
      {"order of remote access", [](Asked& hints) { hints.receive.msg_order = FI_ORDER_RAW; }},
      {"order of sends' ends", [](Asked& hints) { hints.transmit.comp_order = FI_ORDER_STRICT; }},
      {"order of receives' ends", [](Asked& hints) { hints.receive.comp_order = FI_ORDER_DATA; }},
      {"sends in pieces", [](Asked& hints) { hints.transmit.iov_limit = 2; }},
      {"receives in pieces", [](Asked& hints) { hints.receive.iov_limit = 2; }},
      {"remote pieces", [](Asked& hints) { hints.transmit.rma_iov_limit = 1; }},
      {"long injects", [](Asked& hints) { hints.transmit.inject_size = 1 << 20; }},
      {"longer messages", [](Asked& hints) { hints.endpoint.max_msg_size = (1ULL << 32U) + 1; }},
      {"another protocol", [](Asked& hints) { hints.endpoint.protocol_version = 2; }},
      {"keys", [](Asked& hints) { hints.endpoint.auth_key_size = 16; }},
      {"long data", [](Asked& hints) { hints.domain.cq_data_size = 16; }},
      {"data of errors", [](Asked& hints) { hints.domain.max_err_data = 1; }},
      {"shared addresses", [](Asked& hints) { hints.domain.caps = FI_SHARED_AV; }},
      {"another domain", [&](Asked& hints) { hints.domain.name = other.data(); }},
      {"another fabric", [&](Asked& hints) { hints.fabric.name = other.data(); }},
  };
  fi_info* found = nullptr;
  for (const auto& [what, ask] : asks) {
    Asked hints;
    ask(hints);
    EXPECT_EQ(hints.answer(&found), -FI_ENODATA) << what;
  }
  EXPECT_EQ(fi_prov_ini()->getinfo(FI_VERSION(1, 4), nullptr, nullptr, 0, nullptr, &found),
            -FI_ENODATA)
      << "whose entries of errors are shorter";
}

TEST(Hints, who_names_no_version_finds_what_there_is) {
  fi_info* found = nullptr;
  ASSERT_EQ(fi_prov_ini()->getinfo(0, nullptr, nullptr, 0, nullptr, &found), 0);
  free_info(found);
}

TEST(Hints, hints_for_what_there_is_get_it) {
  Asked hints;
  std::string domain = "quadrille-udp";
  std::string fabric = "quadrille";
  hints.info.caps = FI_TAGGED | FI_MULTI_RECV;
  hints.info.mode = ~0ULL;  // what the program can live with
  hints.transmit.op_flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
  hints.transmit.msg_order = hints.receive.msg_order = FI_ORDER_SAS;
  hints.transmit.iov_limit = hints.receive.iov_limit = 1;
  hints.transmit.size = hints.receive.size = 100'000;
  hints.endpoint.max_msg_size = 1ULL << 32U;
  hints.domain.cq_data_size = 8;
  hints.domain.mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR;
  hints.domain.name = domain.data();
  hints.fabric.name = fabric.data();
  fi_info* found = nullptr;
  ASSERT_EQ(hints.answer(&found), 0);
  EXPECT_GE(found->tx_attr->size, 100'000U);
  EXPECT_GE(found->rx_attr->size, 100'000U);
  EXPECT_EQ(found->mode, 0U);
  free_info(found);
}

}  // namespace
}  // namespace quadrille::fabric
