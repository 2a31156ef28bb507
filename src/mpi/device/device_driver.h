// SPDX-License-Identifier: BSD-3-Clause
// The driver of a device whose memory a program may pass to MPI, where the process has loaded one.
// No header of the driver's is needed: the few calls are declared in the source.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quadrille {

// Whether a driver is in the process. Asked before each call: programs load it after MPI_Init too.
// Takes some nanoseconds while nothing more has been loaded.
bool has_device_driver();

// Whether `address` is memory of a device that the processor cannot read.
bool is_device_memory(const void* address);

// Copies between host and device, or the other way round, whichever the addresses are. REQUIRES:
// one of them is_device_memory().
bool copy_device_memory(void* into, const void* from, std::size_t bytes);

}  // namespace quadrille
