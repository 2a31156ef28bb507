# SPDX-License-Identifier: BSD-3-Clause
"""Sockets for ranks without privilege: opened in namespaces that confine them, passed over a Unix socket.

`rules` says who gets what, `frame_filters` what may pass; `confinement` builds the namespaces, `service`
answers.
"""
