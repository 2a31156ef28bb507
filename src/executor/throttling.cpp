// SPDX-License-Identifier: BSD-3-Clause
// Both hierarchies of control groups, by what /proc tells of this process.
#include "executor/throttling.h"

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace quadrille {
namespace {

using std::filesystem::path;

constexpr Nanoseconds never{std::numeric_limits<std::int64_t>::max()};

struct GroupHierarchy {
  path mounted_at;
  path root;  // which of its groups is visible there
  bool unified = false;
};

// A line of mountinfo (proc_pid_mountinfo(5)); nothing where it holds no processor's groups.
std::optional<GroupHierarchy> hierarchy_of(const std::string& line) {
  std::istringstream words(line);
  std::string skipped;
  std::string root;
  std::string mounted_at;
  words >> skipped >> skipped >> skipped >> root >> mounted_at;
  while (words >> skipped && skipped != "-") continue;
  std::string type;
  std::string source;
  std::string options;
  words >> type >> source >> options;
  if (type == "cgroup2") return GroupHierarchy{mounted_at, root, true};
  const bool of_processor = ("," + options + ",").find(",cpu,") != std::string::npos;
  if (type == "cgroup" && of_processor) return GroupHierarchy{mounted_at, root, false};
  return std::nullopt;
}

// This process's group in that hierarchy (cgroups(7)): lines of NUMBER:CONTROLLERS:GROUP.
path group_in(const GroupHierarchy& hierarchy, const path& proc) {
  std::ifstream groups(proc / "cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool of_processor = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (hierarchy.unified ? controllers.empty() : of_processor) return line.substr(second + 1);
  }
  return "/";
}

bool is_limited(const path& group) {
  std::string most;
  if (std::ifstream(group / "cpu.max") >> most) return most != "max";
  long quota = 0;
  return std::ifstream(group / "cpu.cfs_quota_us") >> quota && quota > 0;
}

}  // namespace

std::vector<path> limited_groups(const path& proc) {
  std::vector<path> found;
  std::ifstream mounts(proc / "mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto hierarchy = hierarchy_of(line);
    if (!hierarchy) continue;
    path group = group_in(*hierarchy, proc).lexically_relative(hierarchy->root);
    // A group that is not below what is visible is seen as that.
    if (group.empty() || *group.begin() == "..") group = ".";
    for (;; group = group.parent_path()) {
      const path folder = (hierarchy->mounted_at / group).lexically_normal();
      if (is_limited(folder)) found.push_back(folder);
      if (group.empty() || group == ".") break;
    }
  }
  return found;
}

Throttling::Throttling(std::vector<path> groups)
    : groups_(std::move(groups)), known_stops_(stops()) {
  if (groups_.empty()) next_look_ = never;
}

void Throttling::look(Nanoseconds now) {
  next_look_ = now + between_looks;
  const std::uint64_t stops = this->stops();
  if (stops <= known_stops_) return;  // less where they cannot be read: no descriptor is left
  known_stops_ = stops;
  believed_until_ = now + believed_for;
}

std::uint64_t Throttling::stops() const {
  std::uint64_t sum = 0;
  for (const path& group : groups_) {
    std::ifstream numbers(group / "cpu.stat");
    std::string name;
    for (std::uint64_t value = 0; numbers >> name >> value;) {
      if (name == "nr_throttled") sum += value;
    }
  }
  return sum;
}

}  // namespace quadrille
