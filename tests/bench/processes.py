"""Processor time and memory of a process, from /proc: Linux only."""

import os
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """User and system time of all its threads, in seconds; one tick is 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def resident_mb(pid: int) -> float:
    """VmRSS in MB of 10^6 bytes."""
    return _status_kib(pid, "VmRSS") * 1024 / 1e6


def peak_resident_mb(pid: int) -> float:
    """VmHWM, the highest VmRSS so far, in MB of 10^6 bytes."""
    return _status_kib(pid, "VmHWM") * 1024 / 1e6


def _status_kib(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)
