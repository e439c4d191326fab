"""Runs processes that may have to be ended with all that they started."""

import os
import signal
import subprocess


def family(pid: int):
    """A process that leads a session, all others of the session, and all that these started."""
    rows = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,sid="], check=True, capture_output=True, text=True).stdout.splitlines()
    processes = [tuple(map(int, row.split())) for row in rows]
    found = {pid} | {process for process, _, session in processes if session == pid}
    while True:
        more = {process for process, parent, _ in processes if parent in found} - found
        if not more:
            return found
        found |= more


def kill_family(pid: int):
    for process in family(pid):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It has ended by itself.


def run(arguments, folder):
    """The exit status of a command, and what it printed."""
    process = subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    try:
        out, _ = process.communicate()
        return process.returncode, out
    except BaseException:
        kill_family(process.pid)
        raise
