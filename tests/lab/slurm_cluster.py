# SPDX-License-Identifier: BSD-3-Clause
"""Slurm on the hosts of a lab: its own daemons, a `slurmd` on each host."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quadrille.lab.lab import Lab

DAEMONS = ("munged", "slurmctld", "slurmd", "srun")
_CORES = 2


class SlurmCluster:
    """A lab's hosts under one controller, which runs on the first of them."""

    def __init__(self, lab: Lab, folder: Path, hosts: dict[str, str]) -> None:
        """Use `folder` for all that the daemons write; `hosts` are names and addresses."""
        self.lab = lab
        self.folder = folder
        self.hosts = hosts
        self._daemons: list[subprocess.Popen[bytes]] = []

    @classmethod
    @contextlib.contextmanager
    def up(cls, lab: Lab, folder: Path, hosts: dict[str, str]) -> Iterator[SlurmCluster]:
        """Start all daemons, wait until the hosts are idle, and end them; skips where there is no Slurm."""
        missing = [
            name for name in DAEMONS if shutil.which(name) is None and not Path("/usr/sbin", name).exists()
        ]
        if missing or os.geteuid() != 0:
            pytest.skip(f"Slurm cannot be started here: {', '.join(missing) or 'only root may'}")
        cluster = cls(lab, folder, hosts)
        try:
            cluster._start()
            yield cluster
        finally:
            cluster._end()

    @property
    def first(self) -> str:
        """The host of the controller, from which jobs are started."""
        return next(iter(self.hosts))

    def command(self, *words: str, **environment: str) -> list[str]:
        """Return what runs `words` on the first host as a user of the cluster does."""
        settings = [f"{name}={value}" for name, value in environment.items()]
        return self.lab.enter(
            self.first, ["env", f"SLURM_CONF={self._configuration(self.first)}", *settings, *words]
        )

    def run(self, *words: str, timeout_s: float = 90, **environment: str) -> str:
        """Run `words` on the first host; return what they print, no failure."""
        done = subprocess.run(
            self.command(*words, **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def wait_until(self, reached: str, *words: str, seconds: float = 30) -> None:
        """Wait until `words` print a text that is `reached`, white space aside."""
        end = time.monotonic() + seconds
        while (found := self.run(*words).split()) != reached.split():
            assert time.monotonic() < end, f"{' '.join(words)}: {found}\n{self._logs()}"
            time.sleep(0.1)

    def _configuration(self, host: str) -> Path:
        return self.folder / host / "slurm.conf"

    def _configure(self, host: str) -> None:
        file = self._configuration(host)
        file.parent.mkdir()
        file.write_text(self._settings(), encoding="utf-8")
        # What ranks of different hosts find under the same name has to be different.
        (file.parent / "mpi.conf").write_text(f"PMIxCliTmpDirBase={file.parent}\n", encoding="utf-8")

    def _start(self) -> None:
        key = self.folder / "munge" / "key"
        key.parent.mkdir(parents=True, mode=0o755)
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        for path in (key.parent, key):
            shutil.chown(path, "munge", "munge")
        for host in self.hosts:
            self._configure(host)
        files = [
            f"--{name}={key.parent / name.removesuffix('-file')}"
            for name in ("key-file", "socket", "pid-file", "log-file", "seed-file")
        ]
        as_munge = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups"]
        self._daemon([*as_munge, "/usr/sbin/munged", "--foreground", "--force", *files], "munged")
        end = time.monotonic() + 10
        while not (key.parent / "socket").exists():
            assert time.monotonic() < end, self._logs()
            time.sleep(0.02)
        self._daemon(self.command("slurmctld", "-D", "-c"), "slurmctld")
        for host in self.hosts:
            own = ["env", f"SLURM_CONF={self._configuration(host)}", "slurmd", "-D", "-N", host]
            self._daemon(self.lab.enter(host, own), f"slurmd.{host}")
        idle = " ".join(["idle"] * len(self.hosts))
        self.wait_until(idle, "sinfo", "--noheader", "--Node", "--format=%T", seconds=60)

    def _end(self) -> None:
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in reversed(self._daemons):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def _daemon(self, command: list[str], name: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self._daemons.append(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            )

    def _logs(self) -> str:
        return "\n".join(f"{path}\n{path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.log")))

    def _settings(self) -> str:
        folder = self.folder
        nodes = [f"NodeName={name} NodeAddr={at} CPUs={_CORES}" for name, at in self.hosts.items()]
        return "\n".join(
            [
                "ClusterName=lab",
                f"SlurmctldHost={self.first}({self.hosts[self.first]})",
                f"AuthInfo=socket={folder / 'munge' / 'socket'}",
                "SlurmUser=root",
                f"StateSaveLocation={folder}",
                f"SlurmdSpoolDir={folder}/spool.%n",
                f"SlurmctldPidFile={folder}/slurmctld.pid",
                f"SlurmdPidFile={folder}/slurmd.%n.pid",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_Core",
                "ReturnToService=2",
                "KillWait=2",
                "SchedulerParameters=bf_interval=1",
                *nodes,
                f"PartitionName=all Nodes={','.join(self.hosts)} Default=YES State=UP MaxTime=10",
                "",
            ]
        )
