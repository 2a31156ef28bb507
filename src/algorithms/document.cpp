// SPDX-License-Identifier: BSD-3-Clause
// Reads each algorithm's file up to its first line that is no comment.
#include "algorithms/document.h"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "algorithms/algorithm.h"

namespace quadrille {

std::string file_of(const std::string& source_directory, std::string_view algorithm) {
  std::error_code error;
  for (const auto& room : std::filesystem::directory_iterator(source_directory, error)) {
    const auto path = room.path() / (std::string(algorithm) + ".cpp");
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

namespace {

// The opening comment without its licence line and comment marks.
Result<std::string> opening_comment(const std::string& source_directory,
                                    std::string_view algorithm) {
  std::ifstream file(file_of(source_directory, algorithm));
  if (!file) {
    return Error{ErrorKind::invalid_argument,
                 "cannot read " + std::string(algorithm) + ".cpp in the folders of '" +
                     source_directory + "'; name the directory of the algorithms' sources"};
  }
  std::string comment;
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    if (line.starts_with("// SPDX")) continue;
    comment += line.substr(line.size() > 2 && line[2] == ' ' ? 3 : 2) + '\n';
  }
  return comment;
}

}  // namespace

Result<std::string> document_algorithms(const std::string& source_directory) {
  std::string page =
      "<!-- SPDX-License-Identifier: BSD-3-Clause; made by `quadrille-plan document` -->\n"
      "# Algorithms\n\n"
      "What each algorithm does, for p ranks and m bytes: the whole vector of bcast, reduce,\n"
      "allreduce, scan and exscan, one rank's block of allgather, gather, scatter and\n"
      "reduce_scatter_block, one pair's block of alltoall, all blocks together of the vector "
      "collectives and\n"
      "reduce_scatter (of one rank, where the ranks' own differ). Each can be forced with\n"
      "`QUADRILLE_ALGORITHM=COLLECTIVE:NAME:PARAMETER=VALUE`; the values shown are the defaults.\n";
  for (const Collective collective : collectives()) {
    page += std::string("\n## ") + name_of(collective) + '\n';
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != collective) continue;
      const Result<std::string> comment = opening_comment(source_directory, algorithm.name);
      if (!comment.ok()) return comment.error();
      page += "\n### " + std::string(algorithm.name) + "\n\n";
      if (const std::string parameters = algorithm.parameters.choices(); !parameters.empty()) {
        page += "Parameters: `" + parameters + "`\n\n";
      }
      page += "```text\n" + comment.value() + "```\n";
    }
  }
  return page;
}

}  // namespace quadrille
