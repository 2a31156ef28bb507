// SPDX-License-Identifier: BSD-3-Clause
// The named parameters of an algorithm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace quadrille {

// Named integers and words with defaults, such as
// "partners=1,between=trunks|chain,inside=chain|star/": of the words that a parameter may be, the
// first is the default. Where they end in '/' the value may be several, "inside=star/chain". Names
// are those of the algorithm's row.
class Parameters {
 public:
  // REQUIRES: `text` is a list name=integer or name=word|word... separated by commas; used for the
  // rows' literals.
  explicit Parameters(std::string_view text = {});

  // Overrides these parameters by a user's `text` (name=value separated by ':' or ','); names that
  // the algorithm has not, and words that a parameter may not be, are errors that list what there
  // is.
  Result<Parameters> with(std::string_view text) const;

  // REQUIRES: the name exists and stands for an integer.
  std::int64_t operator[](std::string_view name) const;
  // The first word or, of several, the one at `place`; behind the last stands the last. REQUIRES:
  // the name exists and stands for a word.
  std::string_view word(std::string_view name, std::size_t place = 0) const;

  std::string text() const;     // "partners=1:between=trunks:inside=star/chain"
  std::string choices() const;  // "partners=1:between=trunks|chain:inside=chain|star/..."
  bool operator==(const Parameters&) const = default;

 private:
  struct Entry {
    std::string name;
    std::int64_t value = 0;             // of an integer
    std::vector<std::string> words;     // all that the parameter may be; empty: an integer
    bool several = false;               // words at a time
    std::vector<std::size_t> chosen{};  // places among `words`
    bool operator==(const Entry&) const = default;
  };
  const Entry& entry(std::string_view name) const;
  static bool assign(Entry& entry, std::string_view value);
  static std::string valued(const Entry& entry);  // what it is
  static std::string listed(const Entry& entry);  // what it may be
  std::vector<Entry> entries_;
};

}  // namespace quadrille
