// SPDX-License-Identifier: BSD-3-Clause
// Structures have grown since the headers that this is compiled against: what is handed out is
// zeroed beyond what is known here. fi_dupinfo() and its like have versions and are not used.
#include "fabric/provider/info.h"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <strings.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace quadrille::fabric {
namespace {

constexpr std::size_t room_to_grow = 256;
constexpr std::uint64_t layering_query = 1ULL << 59U;  // of the core, for itself
constexpr std::uint64_t offered_caps = FI_TAGGED | FI_MSG | FI_SEND | FI_RECV | FI_DIRECTED_RECV |
                                       FI_MULTI_RECV | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr std::uint64_t operation_caps = FI_RMA | FI_ATOMIC | FI_MULTICAST | FI_COLLECTIVE |
                                         FI_HMEM | FI_NAMED_RX_CTX | FI_RMA_EVENT | FI_TRIGGER |
                                         FI_VARIABLE_MSG | FI_SHARED_AV;
constexpr std::uint32_t address_format = FI_PROV_SPECIFIC | 0x515;
constexpr std::uint32_t wire_protocol = FI_PROV_SPECIFIC | 0x515;
constexpr std::size_t contexts = 16;
constexpr std::size_t operations = 4096;

template <typename Structure>
Structure* zeroed() {
  return static_cast<Structure*>(std::calloc(1, sizeof(Structure) + room_to_grow));
}

bool suits(const fi_info& hints) {
  if ((hints.caps & operation_caps) != 0) return false;
  if (hints.addr_format != FI_FORMAT_UNSPEC && hints.addr_format != address_format) return false;
  if (hints.ep_attr != nullptr) {
    const fi_ep_attr& endpoint = *hints.ep_attr;
    if (endpoint.type != FI_EP_UNSPEC && endpoint.type != FI_EP_RDM) return false;
    if (endpoint.protocol != FI_PROTO_UNSPEC && endpoint.protocol != wire_protocol) return false;
    if (endpoint.tx_ctx_cnt > 1 || endpoint.rx_ctx_cnt > 1) return false;
  }
  if (hints.tx_attr != nullptr && hints.tx_attr->inject_size > inject_bytes) return false;
  const std::uint64_t order = (hints.tx_attr != nullptr ? hints.tx_attr->msg_order : 0) |
                              (hints.rx_attr != nullptr ? hints.rx_attr->msg_order : 0);
  if ((order & ~static_cast<std::uint64_t>(FI_ORDER_SAS)) != 0) return false;
  const char* wanted = hints.fabric_attr != nullptr ? hints.fabric_attr->prov_name : nullptr;
  return wanted == nullptr || strcasestr(wanted, provider_name) != nullptr;
}

void fill_transmit(fi_tx_attr& attributes, std::uint64_t caps, const fi_tx_attr* hints) {
  attributes.caps =
      caps & ~static_cast<std::uint64_t>(FI_RECV | FI_DIRECTED_RECV | FI_MULTI_RECV | FI_SOURCE);
  attributes.op_flags = hints != nullptr ? hints->op_flags : 0;
  attributes.msg_order = FI_ORDER_SAS;
  attributes.inject_size = inject_bytes;
  attributes.size = operations;
  attributes.iov_limit = 1;
}

void fill_receive(fi_rx_attr& attributes, std::uint64_t caps, const fi_rx_attr* hints) {
  attributes.caps = caps & ~static_cast<std::uint64_t>(FI_SEND);
  attributes.op_flags = hints != nullptr ? hints->op_flags : 0;
  attributes.msg_order = FI_ORDER_SAS;
  attributes.size = operations;
  attributes.iov_limit = 1;
}

void fill_endpoint(fi_ep_attr& attributes) {
  attributes.type = FI_EP_RDM;
  attributes.protocol = wire_protocol;
  attributes.protocol_version = 1;
  attributes.max_msg_size = std::size_t{1} << 32U;  // places of packets have 24 bits
  attributes.mem_tag_format = ~std::uint64_t{0};
  attributes.tx_ctx_cnt = 1;
  attributes.rx_ctx_cnt = 1;
}

void fill_domain(fi_domain_attr& attributes, const fi_domain_attr* hints) {
  attributes.name = strdup("quadrille-udp");
  attributes.threading =
      hints != nullptr && hints->threading != FI_THREAD_UNSPEC ? hints->threading : FI_THREAD_SAFE;
  // The service thread makes progress by itself; calls make it sooner.
  const auto progress = [](fi_progress wanted) {
    return wanted == FI_PROGRESS_UNSPEC ? FI_PROGRESS_MANUAL : wanted;
  };
  attributes.control_progress =
      progress(hints != nullptr ? hints->control_progress : FI_PROGRESS_UNSPEC);
  attributes.data_progress = progress(hints != nullptr ? hints->data_progress : FI_PROGRESS_UNSPEC);
  attributes.resource_mgmt = FI_RM_ENABLED;
  attributes.av_type =
      hints != nullptr && hints->av_type != FI_AV_UNSPEC ? hints->av_type : FI_AV_TABLE;
  attributes.mr_key_size = 8;
  attributes.cq_data_size = 8;
  attributes.cq_cnt = attributes.ep_cnt = attributes.cntr_cnt = contexts;
  attributes.tx_ctx_cnt = attributes.rx_ctx_cnt = contexts;
  attributes.max_ep_tx_ctx = attributes.max_ep_rx_ctx = 1;
  attributes.mr_cnt = 1U << 16U;
  attributes.caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
}

}  // namespace

int get_info(std::uint32_t /*version*/, const char* /*node*/, const char* /*service*/,
             std::uint64_t flags, const fi_info* hints, fi_info** info) {
  if ((flags & layering_query) != 0) return -FI_ENODATA;
  if (hints != nullptr && !suits(*hints)) return -FI_ENODATA;
  auto* made = zeroed<fi_info>();
  made->tx_attr = zeroed<fi_tx_attr>();
  made->rx_attr = zeroed<fi_rx_attr>();
  made->ep_attr = zeroed<fi_ep_attr>();
  made->domain_attr = zeroed<fi_domain_attr>();
  made->fabric_attr = zeroed<fi_fabric_attr>();
  // What was not asked for is not done: receives that name a source would take from it only.
  const std::uint64_t always = FI_SEND | FI_RECV | FI_LOCAL_COMM | FI_REMOTE_COMM;
  made->caps = offered_caps;
  if (hints != nullptr && hints->caps != 0) made->caps = (hints->caps & offered_caps) | always;
  made->addr_format = address_format;
  fill_transmit(*made->tx_attr, made->caps, hints != nullptr ? hints->tx_attr : nullptr);
  fill_receive(*made->rx_attr, made->caps, hints != nullptr ? hints->rx_attr : nullptr);
  fill_endpoint(*made->ep_attr);
  fill_domain(*made->domain_attr, hints != nullptr ? hints->domain_attr : nullptr);
  made->fabric_attr->name = strdup("quadrille");
  *info = made;
  return 0;
}

}  // namespace quadrille::fabric
