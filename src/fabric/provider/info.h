// SPDX-License-Identifier: BSD-3-Clause
// What the provider offers, and to whom: fi_getinfo().
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>

namespace quadrille::fabric {

constexpr const char* provider_name = "quadrille";
constexpr std::uint32_t provider_version = FI_VERSION(1, 0);
constexpr std::size_t inject_bytes = 4096;

// As fi_getinfo(); the core frees what it returns with free().
int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info);

}  // namespace quadrille::fabric
