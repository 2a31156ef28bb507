// SPDX-License-Identifier: BSD-3-Clause
// For tests: where libfabric would enter the provider, which they call without it.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/providers/fi_prov.h>

#include <cstdlib>

extern "C" fi_provider* fi_prov_ini();

namespace quadrille::fabric {

// As fi_freeinfo() does.
inline void free_info(fi_info* info) {
  std::free(info->domain_attr->name);
  std::free(info->fabric_attr->name);
  for (void* part : {static_cast<void*>(info->tx_attr), static_cast<void*>(info->rx_attr),
                     static_cast<void*>(info->ep_attr), static_cast<void*>(info->domain_attr),
                     static_cast<void*>(info->fabric_attr), static_cast<void*>(info)})
    std::free(part);
}

}  // namespace quadrille::fabric
