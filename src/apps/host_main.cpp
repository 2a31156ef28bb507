// SPDX-License-Identifier: BSD-3-Clause
// quadrille-host: tells the settings of the host that it runs on, without MPI, as the prober does
// in a job: one JSON object on a line.
#include <iostream>

#include "apps/probe/report_lines.h"
#include "probe/measure/hosts/host_identity.h"
#include "probe/measure/hosts/host_settings.h"

int main() {
  namespace probe = quadrille::probe;
  probe::ReportLines(std::cout).host({probe::own_host_name(), probe::host_settings_json(), {}, {}});
}
