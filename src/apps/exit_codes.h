// SPDX-License-Identifier: BSD-3-Clause
// What the native programs exit with, as `quadrille` does; each program's own comment says what
// counts as failed.
#pragma once

namespace quadrille::exit_code {

inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int wrong_usage = 2;  // of options, or of what is read for them

}  // namespace quadrille::exit_code
