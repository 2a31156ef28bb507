// SPDX-License-Identifier: BSD-3-Clause
// What a host's kernel and drivers say of their settings, for whoever looks for the reason why a
// network is slow. Needs no privilege, never blocks; what cannot be read is absent.
#pragma once

#include <filesystem>
#include <string>

namespace quadrille::probe {

struct SettingsSources {
  std::filesystem::path root = "/";  // holds proc, sys and etc
  bool ask_kernel = true;            // by system calls too, not by files alone
};

// A JSON object; docs/doctor.md lists its keys. Units are in the names.
std::string host_settings_json(const SettingsSources& sources = {});

}  // namespace quadrille::probe
