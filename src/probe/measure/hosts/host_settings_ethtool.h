// SPDX-License-Identifier: BSD-3-Clause
// What an interface's driver answers to the ioctl of `ethtool`: driver, link, flow control, rings,
// coalescing, offloads. All of these may be asked without privilege.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace quadrille::probe {

// Adds what the driver of `interface` answers to `entry`; a question it does not know adds nothing.
void add_driver_settings(const std::string& interface, nlohmann::json& entry);

}  // namespace quadrille::probe
