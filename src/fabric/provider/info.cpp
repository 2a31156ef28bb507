// SPDX-License-Identifier: BSD-3-Clause
// Structures have grown since the headers that this is compiled against: what is handed out is
// zeroed beyond what is known here. fi_dupinfo() and its like have versions and are not used.
#include "fabric/provider/info.h"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace quadrille::fabric {
namespace {

constexpr std::size_t room_to_grow = 256;
constexpr std::uint64_t layering_query = 1ULL << 59U;  // of the core, for itself
constexpr std::uint64_t offered_caps = FI_TAGGED | FI_MSG | FI_SEND | FI_RECV | FI_DIRECTED_RECV |
                                       FI_MULTI_RECV | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr std::uint64_t domain_caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
// Flags of operations; those of single calls do no harm.
constexpr std::uint64_t offered_flags =
    FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
    FI_MATCH_COMPLETE | FI_MULTI_RECV | FI_MORE | FI_REMOTE_CQ_DATA;
constexpr const char* fabric_name = "quadrille";
constexpr const char* domain_name = "quadrille-udp";
constexpr std::uint32_t address_format = FI_PROV_SPECIFIC | 0x515;
constexpr std::uint32_t wire_protocol = FI_PROV_SPECIFIC | 0x515;
constexpr std::size_t contexts = 16;
constexpr std::size_t operations = 4096;  // where more are asked for, as many: there is no limit
constexpr std::uint32_t protocol_version = 1;
constexpr std::size_t longest_message = std::size_t{1} << 32U;  // places of packets have 24 bits
constexpr std::size_t completion_data_bytes = 8;

template <typename Made>
Made* or_throw(Made* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

template <typename Structure>
Structure* zeroed() {
  return or_throw(static_cast<Structure*>(std::calloc(1, sizeof(Structure) + room_to_grow)));
}

// As fi_freeinfo(), of one that may lack parts.
struct FreeInfo {
  void operator()(fi_info* info) const {
    if (info->domain_attr != nullptr) std::free(info->domain_attr->name);
    if (info->fabric_attr != nullptr) std::free(info->fabric_attr->name);
    for (void* part : {static_cast<void*>(info->tx_attr), static_cast<void*>(info->rx_attr),
                       static_cast<void*>(info->ep_attr), static_cast<void*>(info->domain_attr),
                       static_cast<void*>(info->fabric_attr), static_cast<void*>(info)})
      std::free(part);
  }
};

template <typename Flags>
bool within(Flags wanted, Flags offered) {
  return (wanted & ~offered) == 0;
}

bool named_otherwise(const char* wanted, const char* name) {
  return wanted != nullptr && strcasecmp(wanted, name) != 0;
}

bool suits(const fi_ep_attr& wanted) {
  if (wanted.type != FI_EP_UNSPEC && wanted.type != FI_EP_RDM) return false;
  if (wanted.protocol != FI_PROTO_UNSPEC && wanted.protocol != wire_protocol) return false;
  return wanted.protocol_version <= protocol_version && wanted.max_msg_size <= longest_message &&
         wanted.tx_ctx_cnt <= 1 && wanted.rx_ctx_cnt <= 1 && wanted.auth_key_size == 0;
}

bool suits(const fi_domain_attr& wanted) {
  return !named_otherwise(wanted.name, domain_name) &&
         wanted.cq_data_size <= completion_data_bytes && within(wanted.caps, domain_caps) &&
         wanted.max_err_data == 0;
}

// Of both directions.
template <typename Attributes>
bool suits_transfers(const Attributes& wanted) {
  return within(wanted.caps, offered_caps) && within(wanted.op_flags, offered_flags) &&
         within<std::uint64_t>(wanted.msg_order, FI_ORDER_SAS) &&
         wanted.comp_order == FI_ORDER_NONE && wanted.iov_limit <= 1;
}

bool suits(const fi_tx_attr& wanted) {
  return suits_transfers(wanted) && wanted.inject_size <= inject_bytes && wanted.rma_iov_limit == 0;
}

bool suits(const fi_rx_attr& wanted) { return suits_transfers(wanted); }

template <typename Attributes>
bool suits(const Attributes* wanted) {
  return wanted == nullptr || suits(*wanted);
}

// What hints ask for has to be there, as an application does not look again; but for modes, which
// say what it can live with, and for what has no limit here.
bool suits(const fi_info& hints) {
  if (!within(hints.caps, offered_caps)) return false;
  if (hints.addr_format != FI_FORMAT_UNSPEC && hints.addr_format != address_format) return false;
  if (!suits(hints.ep_attr) || !suits(hints.domain_attr) || !suits(hints.tx_attr) ||
      !suits(hints.rx_attr))
    return false;
  if (hints.fabric_attr == nullptr) return true;
  const char* provider = hints.fabric_attr->prov_name;
  return !named_otherwise(hints.fabric_attr->name, fabric_name) &&
         (provider == nullptr || strcasestr(provider, provider_name) != nullptr);
}

void fill_transmit(fi_tx_attr& attributes, std::uint64_t caps, const fi_tx_attr* hints) {
  attributes.caps =
      caps & ~static_cast<std::uint64_t>(FI_RECV | FI_DIRECTED_RECV | FI_MULTI_RECV | FI_SOURCE);
  attributes.op_flags = hints != nullptr ? hints->op_flags : 0;
  attributes.msg_order = FI_ORDER_SAS;
  attributes.inject_size = inject_bytes;
  attributes.size = std::max(operations, hints != nullptr ? hints->size : 0);
  attributes.iov_limit = 1;
}

void fill_receive(fi_rx_attr& attributes, std::uint64_t caps, const fi_rx_attr* hints) {
  attributes.caps = caps & ~static_cast<std::uint64_t>(FI_SEND);
  attributes.op_flags = hints != nullptr ? hints->op_flags : 0;
  attributes.msg_order = FI_ORDER_SAS;
  attributes.size = std::max(operations, hints != nullptr ? hints->size : 0);
  attributes.iov_limit = 1;
}

void fill_endpoint(fi_ep_attr& attributes) {
  attributes.type = FI_EP_RDM;
  attributes.protocol = wire_protocol;
  attributes.protocol_version = protocol_version;
  attributes.max_msg_size = longest_message;
  attributes.mem_tag_format = ~std::uint64_t{0};
  attributes.tx_ctx_cnt = 1;
  attributes.rx_ctx_cnt = 1;
}

void fill_domain(fi_domain_attr& attributes, const fi_domain_attr* hints) {
  attributes.name = or_throw(strdup(domain_name));
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
  attributes.cq_data_size = completion_data_bytes;
  attributes.cq_cnt = attributes.ep_cnt = attributes.cntr_cnt = contexts;
  attributes.tx_ctx_cnt = attributes.rx_ctx_cnt = contexts;
  attributes.max_ep_tx_ctx = attributes.max_ep_rx_ctx = 1;
  attributes.mr_cnt = 1U << 16U;
  attributes.caps = domain_caps;
}

}  // namespace

int get_info(std::uint32_t version, const char* /*node*/, const char* /*service*/,
             std::uint64_t flags, const fi_info* hints, fi_info** info) {
  if ((flags & layering_query) != 0) return -FI_ENODATA;
  // Entries of failed operations were shorter before. Intel MPI's libfabric first looks what there
  // is at all, for no version.
  if (version != 0 && FI_VERSION_LT(version, FI_VERSION(1, 5))) return -FI_ENODATA;
  if (hints != nullptr && !suits(*hints)) return -FI_ENODATA;
  std::unique_ptr<fi_info, FreeInfo> made(zeroed<fi_info>());
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
  made->fabric_attr->name = or_throw(strdup(fabric_name));
  *info = made.release();
  return 0;
}

}  // namespace quadrille::fabric
