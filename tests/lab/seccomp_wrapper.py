# SPDX-License-Identifier: BSD-3-Clause
"""seccomp_wrapper.py PROGRAM [ARGUMENT...]: run it where process_vm_readv and process_vm_writev are refused.

As containers do whose seccomp profile does not name them (seccomp(2), Docker's before Linux 4.8).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = (
    0x20,
    0x15,
    0x06,
)  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # SECCOMP_RET_ERRNO | EPERM
REFUSED_CALLS = {"x86_64": (310, 311), "aarch64": (270, 271)}[os.uname().machine]


def main() -> None:
    read, write = REFUSED_CALLS
    rules = [
        (LOAD_WORD, 0, 0, 0),  # the system call's number
        (JUMP_IF_EQUAL, 1, 0, read),
        (JUMP_IF_EQUAL, 0, 1, write),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("@HxxxxxxP", len(rules), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    for arguments in (
        (PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program),
    ):
        if libc.prctl(*arguments, zero, zero) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
