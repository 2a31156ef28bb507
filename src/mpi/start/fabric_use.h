// SPDX-License-Identifier: BSD-3-Clause
// Whether the MPI library's own messages go over the libfabric provider.
#pragma once

namespace quadrille {

// "on": the provider is in this process, and an endpoint of it has been enabled, whoever asked for
// it; else "unused" where it is asked for, and "off". REQUIRES: MPI is initialised.
const char* fabric_use(bool asked_for);

}  // namespace quadrille
