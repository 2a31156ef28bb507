# SPDX-License-Identifier: BSD-3-Clause
"""Where each rank of a program should start: hosts with places in, files for launchers out."""
