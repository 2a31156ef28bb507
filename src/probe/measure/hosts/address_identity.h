// SPDX-License-Identifier: BSD-3-Clause
// By which addresses this host is on a network: what a model that was kept has to agree with.
#pragma once

#include <cstdint>

namespace quadrille::probe {

// Fingerprint of the addresses of this host's physical interfaces, or of all where it has none.
// `shares_machine`: other hosts of the job are namespaces of the same kernel. Such hosts come back
// with the names and addresses of earlier ones in other networks, so the namespace itself counts.
std::uint64_t own_address_identity(bool shares_machine);

}  // namespace quadrille::probe
