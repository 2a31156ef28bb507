// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/domain.h"

#include <rdma/fi_atomic.h>

#include "fabric/provider/address_vector.h"
#include "fabric/provider/completion_queue.h"
#include "fabric/provider/counter.h"
#include "fabric/provider/endpoint.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

struct Domain : public fid_domain {};

int close_domain(fid* fid) {
  delete object_of<Domain, fid_domain>(fid);
  return 0;
}

int close_region(fid* fid) {
  delete reinterpret_cast<fid_mr*>(fid);
  return 0;
}

int make_region(std::uint64_t key, void* context, fid_mr** made) {
  static fi_ops plain = plain_ops<close_region>();
  auto* region = new fid_mr{};
  region->fid = {FI_CLASS_MR, context, &plain};
  region->key = key;
  *made = region;
  return 0;
}

// Messages leave from and come to any memory: nothing has to be done for it.
int register_memory(fid* /*domain*/, const void* /*buffer*/, size_t /*length*/, uint64_t /*access*/,
                    uint64_t /*offset*/, uint64_t key, uint64_t /*flags*/, fid_mr** made,
                    void* context) {
  return make_region(key, context, made);
}

int register_pieces(fid* /*domain*/, const iovec* /*pieces*/, size_t /*count*/, uint64_t /*access*/,
                    uint64_t /*offset*/, uint64_t key, uint64_t /*flags*/, fid_mr** made,
                    void* context) {
  return make_region(key, context, made);
}

int register_as_told(fid* /*domain*/, const fi_mr_attr* attributes, uint64_t /*flags*/,
                     fid_mr** made) {
  if (attributes->iface != FI_HMEM_SYSTEM) return -FI_ENOSYS;
  return make_region(attributes->requested_key, attributes->context, made);
}

}  // namespace

int open_domain(fid_fabric* /*fabric*/, fi_info* /*info*/, fid_domain** made, void* context) {
  static fi_ops plain = plain_ops<close_domain>();
  static fi_ops_domain calls = [] {
    fi_ops_domain ops{};
    ops.size = sizeof ops;
    ops.av_open = guarded<AddressVector::open>;
    ops.cq_open = guarded<CompletionQueue::open>;
    ops.endpoint = guarded<Endpoint::open>;
    ops.scalable_ep = refuse;
    ops.cntr_open = guarded<Counter::open>;
    ops.poll_open = refuse;
    ops.stx_ctx = refuse;
    ops.srx_ctx = refuse;
    ops.query_atomic = refuse;
    ops.query_collective = refuse;
    return ops;
  }();
  static fi_ops_mr memory = [] {
    fi_ops_mr ops{};
    ops.size = sizeof ops;
    ops.reg = guarded<register_memory>;
    ops.regv = guarded<register_pieces>;
    ops.regattr = guarded<register_as_told>;
    return ops;
  }();
  auto* domain = new Domain{};
  domain->fid = {FI_CLASS_DOMAIN, context, &plain};
  domain->ops = &calls;
  domain->mr = &memory;
  *made = domain;
  return 0;
}

}  // namespace quadrille::fabric
