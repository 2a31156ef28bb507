// SPDX-License-Identifier: BSD-3-Clause
// The page about all algorithms, made of the comments that their files open with.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace quadrille {

// Markdown: one section a collective, one heading an algorithm, its comment as it stands.
// `source_directory` is the one in whose folders NAME.cpp of each algorithm is.
Result<std::string> document_algorithms(const std::string& source_directory);

// The algorithm's file there; empty where there is none.
std::string file_of(const std::string& source_directory, std::string_view algorithm);

}  // namespace quadrille
