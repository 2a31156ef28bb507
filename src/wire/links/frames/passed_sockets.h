// SPDX-License-Identifier: BSD-3-Clause
// Sockets for a link of frames from a link helper (docs/link_helper.md), for processes that may not
// open them. They are of another network namespace, with an address of its own.
#pragma once

#include <string>

#include "base/error.h"
#include "wire/links/frames/frame_sockets.h"

namespace quadrille::wire {

// Asks the helper that serves at the Unix socket `path` for sockets on the network of `local`, an
// address of this host. Takes three seconds at most. Fails with the helper's words where it
// refuses.
Result<FrameSockets> ask_for_sockets(const std::string& path, NetworkAddress local);

}  // namespace quadrille::wire
