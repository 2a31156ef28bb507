// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/start_model.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/monotonic_clock.h"
#include "executor/waiting.h"
#include "mpi/start/host_set.h"
#include "network/model/model_cache.h"

namespace quadrille {
namespace {

class ModelSearch {
 public:
  ModelSearch(const Settings& settings, const StartHosts& hosts,
              const std::vector<std::string>& host_names)
      : settings_(settings),
        hosts_(hosts),
        host_names_(host_names),
        cache_(cache_folder(settings.cache, [](const char* name) { return std::getenv(name); }),
               settings.model_expiry_s) {
    PMPI_Comm_rank(hosts_.ranks, &rank_);
  }

  StartModel run() {
    if (!settings_.model.empty()) {
      read_file();
    } else if (settings_.probe != "off" && hosts_.hosts >= fewest_hosts_to_measure) {
      key_ = host_set_key(hosts_, host_names_);
      if (rank_ == 0) read_cache();
      share();
      if (found_.origin == ModelOrigin::none) measure();
    }
    return std::move(found_);
  }

 private:
  void read_file() {
    if (rank_ == 0) {
      std::ifstream file(settings_.model, std::ios::binary);
      found_.text.assign(std::istreambuf_iterator<char>(file), {});
      if (found_.text.empty()) {
        found_.problem = "the model file is empty or cannot be read on rank 0's host";
      } else {
        found_.origin = ModelOrigin::file;
      }
    }
    share();
  }

  void read_cache() {
    if (const auto kept = cache_.find(key_, host_names_, std::time(nullptr))) {
      take(*kept, ModelOrigin::cache);
    }
  }

  void measure() {
    auto probe = std::make_unique<StartProbe>(hosts_);
    auto model = probe->run();
    if (rank_ == 0) {
      over_ = probe->over() ? 1 : 0;
      judge(model);
    }
    share();
    if (over_ == 0) found_.unfinished = std::move(probe);
  }

  // On rank 0.
  void judge(const Result<NetworkModel>& model) {
    if (!model.ok()) {
      found_.problem = model.error().message;
      return;
    }
    if (auto segments = segments_of(model.value(), host_names_); !segments.ok()) {
      const auto& warnings = model.value().warnings;
      const auto why = std::find_if(warnings.begin(), warnings.end(), [](const Warning& warning) {
        return warning.topic == "unreachable";
      });
      found_.problem = why == warnings.end() ? segments.error().message : why->text;
      return;
    }
    take(model.value(), ModelOrigin::measured);
    cache_.keep(key_, model.value());
  }

  void take(const NetworkModel& model, ModelOrigin origin) {
    found_.text = print_model(model);
    found_.origin = origin;
  }

  // All ranks learn what rank 0 has found. They sleep meanwhile, since that may take a while.
  void share() {
    std::array<std::int64_t, 3> word{static_cast<std::int64_t>(found_.origin),
                                     static_cast<std::int64_t>(found_.text.size()), over_};
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ibcast(word.data(), static_cast<int>(word.size()), MPI_INT64_T, 0, hosts_.ranks, &request);
    Waiting waiting;
    for (int arrived = 0; arrived == 0;) {
      PMPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
      if (arrived == 0) waiting.idle();
    }
    found_.origin = static_cast<ModelOrigin>(word[0]);
    found_.text.resize(static_cast<std::size_t>(word[1]));
    over_ = word[2];
    if (found_.text.empty()) return;
    PMPI_Bcast(found_.text.data(), static_cast<int>(found_.text.size()), MPI_BYTE, 0, hosts_.ranks);
  }

  const Settings& settings_;
  const StartHosts& hosts_;
  const std::vector<std::string>& host_names_;
  ModelCache cache_;
  int rank_ = 0;
  std::string key_;  // on rank 0
  std::int64_t over_ = 1;
  StartModel found_;
};

}  // namespace

const char* name_of(ModelOrigin origin) {
  switch (origin) {
    case ModelOrigin::file:
      return "file";
    case ModelOrigin::cache:
      return "cache";
    case ModelOrigin::measured:
      return "measured";
    case ModelOrigin::none:
      break;
  }
  return "none";
}

StartModel find_start_model(const Settings& settings, const StartHosts& hosts,
                            const std::vector<std::string>& host_names) {
  const Nanoseconds began = monotonic_now();
  StartModel found = ModelSearch(settings, hosts, host_names).run();
  found.took = monotonic_now() - began;
  return found;
}

}  // namespace quadrille
