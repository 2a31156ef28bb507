// SPDX-License-Identifier: BSD-3-Clause
// Random edits of the example files: parse_model never crashes, and what it accepts survives being
// printed. The entry point is libFuzzer's; without it the edits below are drawn from a fixed seed.
//
//   clang++ -std=c++20 -g -fsanitize=fuzzer,address -DQUADRILLE_FUZZ -Isrc src/network/model*.cpp
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "network/model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model =
      quadrille::parse_model(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!model.ok()) return model.error().message.empty() ? std::abort(), 0 : 0;
  const auto again = quadrille::parse_model(quadrille::print_model(model.value()));
  if (!again.ok() || !(again.value() == model.value())) std::abort();
  return 0;
}

#ifndef QUADRILLE_FUZZ

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace quadrille {
namespace {

constexpr std::array<const char*, 22> kPieces{"null",
                                              "-1",
                                              "0",
                                              "1e308",
                                              "99999999999999999999",
                                              "1.5",
                                              "true",
                                              "\"\"",
                                              "[]",
                                              "{}",
                                              "[1,2]",
                                              "\\u00",
                                              "\xff",
                                              "{",
                                              "]",
                                              ",",
                                              ":",
                                              "\"b\"",
                                              "\"h0\"",
                                              "\"bus\"",
                                              "\"intervals\":{\"x\":[1,null]},",
                                              "[[[[[[[[[[[["};

std::string example_text(const std::string& name) {
  std::ifstream file(std::string(QUADRILLE_SOURCE_DIR) + "/schemas/examples/network_model_" + name +
                     ".json");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Anywhere, or just behind one of JSON's own characters, where an edit leaves more documents valid.
std::size_t place_in(const std::string& text, std::mt19937& chance) {
  if (text.empty()) return 0;
  const std::size_t place = chance() % text.size();
  if (chance() % 3 == 0) return place;
  const auto found = text.find_first_of("[{:,", place);
  return found == std::string::npos ? place : found + 1;
}

void edit(std::string& text, std::mt19937& chance) {
  const std::size_t place = place_in(text, chance);
  const std::size_t end = std::min(text.size(), text.find_first_of(",]}", place));
  switch (chance() % 7) {
    case 0:
      text.resize(place);
      break;
    case 1:
      text.erase(place, chance() % 40);
      break;
    case 2:
      text.insert(place, kPieces[chance() % kPieces.size()]);
      break;
    case 3:
      text.insert(place_in(text, chance), std::string(text, place, chance() % 300));
      break;
    case 4:
      if (place < text.size()) text[place] = static_cast<char>(chance());
      break;
    default:  // one value becomes another
      text.replace(place, end - place, kPieces[chance() % kPieces.size()]);
  }
}

TEST(ModelFuzz, thousands_of_random_edits_neither_crash_it_nor_change_what_it_accepts) {
  int accepted = 0;
  for (const char* name : {"full", "minimal", "three_buses", "tree", "islands"}) {
    const std::string original = example_text(name);
    ASSERT_FALSE(original.empty());
    std::mt19937 chance(7);
    for (int round = 0; round < 2500; ++round) {
      std::string text = original;
      for (auto edits = 1 + chance() % 3; edits > 0; --edits) edit(text, chance);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      accepted += parse_model(text).ok() ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 100) << "edits so wild that nothing is accepted test little";
}

}  // namespace
}  // namespace quadrille

#endif
