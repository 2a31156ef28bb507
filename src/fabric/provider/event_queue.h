// SPDX-License-Identifier: BSD-3-Clause
// Events that a program writes for itself: the provider, whose endpoints have no connections and
// whose addresses are inserted at once, has none to report.
//
// Thread rule: any thread.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

namespace quadrille::fabric {

int open_event_queue(fid_fabric* fabric, fi_eq_attr* attributes, fid_eq** made, void* context);

}  // namespace quadrille::fabric
