// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/job_verdicts.h"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "base/fingerprint.h"
#include "base/whole_file.h"
#include "mpi/start/host_set.h"
#include "network/model/model_cache.h"

namespace quadrille {

void JobVerdicts::take(const Settings& settings, const StartHosts& hosts,
                       const std::vector<std::string>& host_names, const std::string& made_with) {
  is_on_ = settings.learn && settings.trials > 0 && hosts.hosts > 1;
  if (!is_on_) return;
  const std::string key = host_set_key(hosts, host_names);
  std::string text;
  if (!key.empty()) {
    const std::string folder =
        cache_folder(settings.cache, [](const char* name) { return std::getenv(name); });
    if (!folder.empty())
      path_ = folder + "/verdicts-" + key + "-" + std::to_string(fingerprint(made_with)) + ".txt";
    text = read_whole_file(path_).value_or("");
  }
  std::array<std::int64_t, 2> word{static_cast<std::int64_t>(text.size()), std::time(nullptr)};
  PMPI_Bcast(word.data(), static_cast<int>(word.size()), MPI_INT64_T, 0, hosts.ranks);
  text.resize(static_cast<std::size_t>(word[0]));
  if (!text.empty())
    PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_BYTE, 0, hosts.ranks);
  verdicts_.read(text, word[1]);
}

void JobVerdicts::keep() const {
  if (path_.empty() || !verdicts_.has_learnt()) return;
  const std::string others = read_whole_file(path_).value_or("");
  replace_whole_file(path_, verdicts_.joined_with(others, std::time(nullptr)));
}

}  // namespace quadrille
