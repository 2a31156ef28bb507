# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library's own messages over the libfabric provider: what that takes, and when it is worth it."""
