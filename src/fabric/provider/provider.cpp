// SPDX-License-Identifier: BSD-3-Clause
// Where libfabric enters: it loads libquadrille-fi.so out of FI_PROVIDER_PATH.
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>
#include <rdma/providers/fi_prov.h>

#include "fabric/provider/completion_queue.h"
#include "fabric/provider/domain.h"
#include "fabric/provider/event_queue.h"
#include "fabric/provider/info.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

struct Fabric : public fid_fabric {};

int close_fabric(fid* fid) {
  delete object_of<Fabric, fid_fabric>(fid);
  return 0;
}

int try_wait(fid_fabric* /*fabric*/, fid** fids, int count) {
  for (int i = 0; i < count; ++i) {
    if (fids[i]->fclass != FI_CLASS_CQ) return -FI_ENOSYS;
    const int answer = object_of<CompletionQueue, fid_cq>(fids[i])->try_wait();
    if (answer != 0) return answer;
  }
  return 0;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** made, void* context) {
  static fi_ops plain = plain_ops<close_fabric>();
  static fi_ops_fabric calls = [] {
    fi_ops_fabric ops{};
    ops.size = sizeof ops;
    ops.domain = guarded<open_domain>;
    ops.passive_ep = refuse;
    ops.eq_open = guarded<open_event_queue>;
    ops.wait_open = refuse;
    ops.trywait = guarded<try_wait>;
    return ops;
  }();
  auto* fabric = new Fabric{};
  fabric->fid = {FI_CLASS_FABRIC, context, &plain};
  fabric->ops = &calls;
  fabric->api_version = attributes->api_version;
  *made = fabric;
  return 0;
}

void clean_up() {}

}  // namespace
}  // namespace quadrille::fabric

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  using namespace quadrille::fabric;
  static fi_provider provider = [] {
    fi_provider made{};
    made.version = provider_version;
    // MPICH asks for the version that it was built with: what runs is what is offered.
    made.fi_version = fi_version();
    made.name = provider_name;
    made.getinfo = guarded<get_info>;
    made.fabric = guarded<open_fabric>;
    made.cleanup = guarded<clean_up>;
    return made;
  }();
  return &provider;
}
