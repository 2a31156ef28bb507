// SPDX-License-Identifier: BSD-3-Clause
// The provider's objects begin with libfabric's structures of tables of calls; a call finds its
// object by casting back. What an object does not do, its table refuses.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include "fabric/provider/guarded.h"

namespace quadrille::fabric {

// The object whose structure `fid` begins. REQUIRES: it is one of that class.
template <typename Object, typename Structure>
Object* object_of(fid_t fid) {
  return static_cast<Object*>(reinterpret_cast<Structure*>(fid));
}

// Stands in a table for any call that is not supported.
template <typename Answer, typename... Arguments>
Answer refuse(Arguments... /*arguments*/) {
  return -FI_ENOSYS;
}

// Of an object that can be closed, and nothing else.
template <int (*close)(fid*)>
fi_ops plain_ops() {
  fi_ops ops{};
  ops.size = sizeof ops;
  ops.close = guarded<close>;
  ops.bind = refuse;
  ops.control = refuse;
  ops.ops_open = refuse;
  return ops;
}

}  // namespace quadrille::fabric
