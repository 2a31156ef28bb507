// SPDX-License-Identifier: BSD-3-Clause
// The page about all algorithms, made of the comments that their files open with.
#pragma once

#include <string>

#include "base/error.h"

namespace quadrille {

// Markdown: one section a collective, one heading an algorithm, its comment as it stands.
// `source_directory` is the one that holds NAME.cpp of each algorithm.
Result<std::string> document_algorithms(const std::string& source_directory);

}  // namespace quadrille
