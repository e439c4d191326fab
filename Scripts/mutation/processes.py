"""Runs processes that may have to be ended with all that they started, and takes turns with others on this machine."""

import fcntl
import os
import signal
import subprocess
import threading
import time


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


def run(arguments, folder, limit):
    """The exit status of a command, or None when it took longer than the limit; and what it printed."""
    process = subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    try:
        out, _ = process.communicate(timeout=limit)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        # An interrupted build keeps what it has built.
        process.send_signal(signal.SIGINT)
        process.communicate()
        return None, ""
    except BaseException:
        kill_family(process.pid)
        raise


class Turns:
    """Holds the lock of a file while workers work. A turn that is over ends before a worker begins anew."""

    LENGTH = 150  # seconds

    def __init__(self, path):
        self.limited = path is not None
        self.file = open(path, "a") if path else None
        self.condition = threading.Condition()
        self.workers = 0
        self.began = None  # without a value, this process does not hold the lock

    def is_over(self):
        return self.began is not None and time.monotonic() - self.began > self.LENGTH

    def __enter__(self):
        if not self.limited:
            return
        with self.condition:
            self.condition.wait_for(lambda: not (self.workers and self.is_over()))
            self.release_if_over()
            if self.began is None:
                fcntl.flock(self.file, fcntl.LOCK_EX)
                self.began = time.monotonic()
            self.workers += 1

    def __exit__(self, *_):
        if not self.limited:
            return
        with self.condition:
            self.workers -= 1
            self.release_if_over()

    def release_if_over(self):
        if not self.workers and self.is_over():
            fcntl.flock(self.file, fcntl.LOCK_UN)
            self.began = None
            time.sleep(0.1)  # Those that wait for the lock take it; without a pause this process would.
            self.condition.notify_all()
