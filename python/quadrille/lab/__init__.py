# SPDX-License-Identifier: BSD-3-Clause
"""The emulated cluster: hosts, switches and trunks out of the kernel's own parts."""
