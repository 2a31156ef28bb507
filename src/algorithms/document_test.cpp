// SPDX-License-Identifier: BSD-3-Clause
// Tests of the page about algorithms.
#include "algorithms/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "algorithms/algorithm.h"

namespace quadrille {
namespace {

const std::string sources = QUADRILLE_SOURCE_DIR "/src/algorithms";

TEST(DocumentAlgorithms, gives_what_stands_in_docs) {
  const Result<std::string> page = document_algorithms(sources);
  ASSERT_TRUE(page.ok()) << page.error().message;
  std::ifstream file(QUADRILLE_SOURCE_DIR "/docs/algorithms.md");
  const std::string stored{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page.value(), stored) << "run: quadrille-plan document > docs/algorithms.md";
}

// What the comment of every algorithm has to say.
TEST(DocumentAlgorithms, finds_every_part_of_every_comment) {
  for (const Algorithm& algorithm : algorithms()) {
    std::ifstream file(file_of(sources, algorithm.name));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const char* part :
         {"// Steps: ", "// Bytes: ", "// Needs: ", "// Loses: ", "// Source: ", "doi:", "ranks"}) {
      EXPECT_THAT(text, testing::HasSubstr(part)) << algorithm.name;
    }
  }
}

TEST(DocumentAlgorithms, says_which_file_it_cannot_read) {
  const Result<std::string> page = document_algorithms("/nowhere");
  ASSERT_FALSE(page.ok());
  EXPECT_THAT(page.error().message,
              testing::HasSubstr("barrier_dissemination.cpp in the folders of '/nowhere'"));
}

}  // namespace
}  // namespace quadrille
