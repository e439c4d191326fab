"""Runs tests with one change active, and says which of them notice it."""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from processes import kill_family
from switches import NUMBER_FILE, REACHED_FILE

TESTS = "celestra-adminPackageTests.xctest"
# A change can make a loop endless that fills memory.
MEMORY = 12 << 30

# Tests of this target take minutes: each suite of it is measured by itself, and only those that come to the place of a
# change are run with it.
BY_SUITE = "Scenarios"


@dataclass
class Ended:
    """How a run of tests ended, and the first test that failed."""

    passed: bool
    seconds: float
    failed: str = ""
    started: int = 0


@dataclass
class Group:
    """Tests that are measured together: how long they take without a change, and to which changes they come."""

    pattern: str
    seconds: float
    reached: set


class Bench:
    """A folder with the executables, in which one change at a time is tested."""

    def __init__(self, folder: Path, package: Path, width: int, skipped):
        self.folder, self.package, self.width, self.skipped = folder, package, width, skipped

    def command(self, *options):
        return [self.folder / TESTS, "--testing-library", "swift-testing", *options]

    def run(self, pattern: str, number: int, limit: float):
        """Runs the tests that match a pattern, to the first that fails."""
        with tempfile.TemporaryDirectory(prefix="celestra-mutate-", ignore_cleanup_errors=True) as scratch:
            return self.run_now(pattern, number, limit, scratch)

    def run_now(self, pattern, number, limit, scratch):
        (self.folder / NUMBER_FILE).write_text(str(number))
        command = self.command(
            "--filter", pattern, "--event-stream-output-path", "/dev/stdout", "--event-stream-version", "0",
            *(["--skip", self.skipped] if self.skipped else []))
        environment = dict(
            os.environ, TMPDIR=scratch, SWIFT_BACKTRACE="enable=no",
            SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=str(self.width))
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=self.package, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
        timer = threading.Timer(limit, kill_family, [process.pid])
        timer.start()
        started, failed = 0, ""
        try:
            for line in process.stdout:
                kind, content = event(line)
                started += kind == "testStarted"
                if kind == "issueRecorded" and not content["issue"].get("isKnown"):
                    failed = content.get("testID", "a test that the library does not name")
                    break
            if not failed:
                process.wait()
        finally:
            timer.cancel()
            kill_family(process.pid)
            process.wait()
            process.stdout.close()
        passed = not failed and process.returncode == 0
        return Ended(passed, time.monotonic() - began, failed, started)

    def patterns(self, target: str):
        """What selects the tests of a target, in the parts that are measured."""
        if target != BY_SUITE:
            return [f"^{target}\\."]
        listed = subprocess.run(
            self.command("--list-tests"), cwd=self.package, check=True, capture_output=True, text=True).stdout
        return [f"^{re.escape(name)}/" for name in sorted(set(re.findall(rf"^({target}\.[^/]+)/", listed, re.M)))]

    def measure(self, pattern: str, changes: int):
        """Runs tests without a change, which must pass."""
        reached = self.folder / REACHED_FILE
        reached.write_bytes(bytes(changes + 1))
        ended = self.run(pattern, 0, 1800)
        if not ended.passed:
            sys.exit(f"{pattern} fails without a change: {ended.failed or 'it crashed or took too long'}")
        places = {number for number, byte in enumerate(reached.read_bytes()) if byte}
        reached.unlink()
        return Group(pattern, ended.seconds, places)

    def notices(self, groups, number: int) -> bool:
        """Whether tests fail, crash or take too long with a change. A test that fails must fail twice."""
        whole = "|".join(group.pattern for group in groups)
        limit = 60 + 4 * sum(group.seconds for group in groups)
        first = self.run(whole, number, limit)
        if first.passed or not first.failed:
            return not first.passed
        again = self.run("^" + re.escape(first.failed), number, limit)
        if not again.passed or not again.started:
            return True
        return not self.run(whole, number, limit).passed


def event(line: str):
    """The kind and content of an event of the testing library; nothing for what tests print themselves."""
    try:
        record = json.loads(line)
        return (record["payload"]["kind"], record["payload"]) if record["kind"] == "event" else ("", {})
    except (ValueError, TypeError, KeyError):
        return "", {}
