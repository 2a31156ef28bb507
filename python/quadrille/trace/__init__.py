# SPDX-License-Identifier: BSD-3-Clause
"""What `quadrille run --trace DIR` has written: reading, aligning clocks, and what it tells."""
