// SPDX-License-Identifier: BSD-3-Clause
// What opens address vectors, queues, counters and endpoints.
#pragma once

#include <rdma/fi_domain.h>

namespace quadrille::fabric {

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context);

}  // namespace quadrille::fabric
