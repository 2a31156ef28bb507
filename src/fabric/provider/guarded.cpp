// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/guarded.h"

#include <rdma/fi_errno.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#include <exception>
#include <new>

extern "C" fi_provider* fi_prov_ini();

namespace quadrille::fabric {

int tell_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    FI_WARN(fi_prov_ini(), FI_LOG_CORE, "no memory is left: the call fails with FI_ENOMEM\n");
    return FI_ENOMEM;
  } catch (const std::exception& exception) {
    FI_WARN(fi_prov_ini(), FI_LOG_CORE, "%s: the call fails with FI_EOTHER\n", exception.what());
  } catch (...) {
    FI_WARN(fi_prov_ini(), FI_LOG_CORE, "an unknown exception: the call fails with FI_EOTHER\n");
  }
  return FI_EOTHER;
}

}  // namespace quadrille::fabric
