"""What every section shares: running processes, comparing medians, and the table."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMA = os.path.join(ROOT, "schema", "celestra.ckdb")
# Feeds that each reader of a made-up container subscribes to.
PER_USER = 20
MEGABYTES_PER_UNIT = 1 / (1 << 20) if sys.platform == "darwin" else 1 / (1 << 10)


@dataclass
class Ended:
    """A process that ended well: wall and processor time in seconds, peak memory in megabytes, what it printed."""

    seconds: float
    processor: float
    megabytes: float = 0
    output: bytes = b""

    def __add__(self, other):
        """Both, one after the other."""
        return Ended(self.seconds + other.seconds, self.processor + other.processor)

    @property
    def result(self):
        """The result in the tool's JSON envelope."""
        return json.loads(self.output)["result"]


@dataclass
class Bench:
    binary: str
    runner: str
    folder: str
    rows: list
    # Once and with little input: whether everything works. The ratios mean nothing then.
    small: bool

    def count(self, number):
        return max(number // 1000, 20) if self.small else number

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, command, stdin=None, env=None, keep=False, allowed=(0,)):
        """Runs one process to its end. Any other exit status than those allowed ends the benchmark."""
        source = open(stdin, "rb") if stdin else subprocess.DEVNULL
        with open(self.path("stdout"), "wb+") as out, open(self.path("stderr"), "wb+") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(
                command, cwd=self.folder, stdin=source, stdout=out if keep else subprocess.DEVNULL, stderr=errors,
                env={**os.environ, **(env or {})})
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in allowed:
                errors.seek(0)
                text = errors.read().decode(errors="replace")
                raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{text}")
            out.seek(0)
            processor = usage.ru_utime + usage.ru_stime
            return Ended(seconds, processor, usage.ru_maxrss * MEGABYTES_PER_UNIT, out.read())

    def tool(self, *words, **options):
        return self.run([self.binary, *words], **options)

    def sql(self, container, text):
        """The lines that SQLite's shell prints for SQL about a container file."""
        return self.run(["sqlite3", f"{container}.sqlite", text], keep=True).output.decode().splitlines()

    def yardstick(self, *words):
        """What the in-process yardsticks print: one JSON object."""
        return json.loads(self.run([self.runner, "0.05" if self.small else "3", *words], keep=True).output)

    def compare(self, what, ours, peer, at_most, runs=3, before=None):
        """One row: our median time over the peer's, both measured here and now, in turn. Returns our runs."""
        mine, others = [], []
        for _ in range(1 if self.small else runs):
            if before:
                before()
            mine.append(ours())
            others.append(peer())
        a, b = (statistics.median(run.seconds for run in side) for side in (mine, others))
        c, d = (statistics.median(run.processor for run in side) for side in (mine, others))
        self.seconds(what, a, b, at_most=at_most, processor=c / d)
        return mine

    def seconds(self, what, ours, peer, **more):
        """A row of two times."""
        self.ratio(what, f"{ours:.3f} s", f"{peer:.3f} s", ours / peer, **more)

    def requests(self, what, ours, bound, at_most):
        """A row of a number of requests beside its bound."""
        self.ratio(what, str(ours), str(bound), ours / bound, at_most=at_most)

    def memory(self, megabytes, limit, what="  its memory"):
        """A row for the peak memory, of what the row above measured unless it has a name."""
        self.ratio(what, f"{megabytes:.0f} MB", f"{limit:.0f} MB", megabytes / limit, at_most=1)

    def ratio(self, what, ours, peer, ratio, at_most=None, at_least=None, processor=None):
        """One row. Without a bound it is there to be compared with its neighbours.

        The ratio of processor times tells, on a machine with other work, how much of the ratio is that work's.
        """
        target = verdict = ""
        if not self.small and (at_most is not None or at_least is not None):
            target = f">= {at_least:g}" if at_most is None else f"<= {at_most:g}"
            verdict = "met" if (ratio >= at_least if at_most is None else ratio <= at_most) else "MISSED"
        row = (what, ours, peer, f"{ratio:.2f}", target, verdict, "" if processor is None else f"{processor:.2f}")
        self.rows.append(row)
        print("  " + " | ".join(cell for cell in row if cell), file=sys.stderr, flush=True)


def print_table(rows):
    rows = [("what", "ours", "peer or limit", "ratio", "target", "", "CPU ratio"), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(7)]
    rows.insert(1, tuple("-" * width for width in widths))
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def pages(records):
    """How many pages of 200 records there are."""
    return -(-records // 200)


def make_seeds(folder, count, url):
    """A catalog of many feeds, in the form of the project's own seeds; `url` names the feed of a number."""
    os.makedirs(os.path.join(folder, "feeds"))
    shutil.copy(os.path.join(ROOT, "seeds", "categories.json"), folder)
    for start in range(0, count, 1000):
        feeds = [
            {"slug": f"feed-{n}", "title": f"Feed number {n}", "feedURL": url(n),
             "siteURL": f"https://feeds.example/{n}", "language": "en", "tags": ["made", "up"]}
            for n in range(start, min(start + 1000, count))]
        with open(os.path.join(folder, "feeds", f"f{start}.json"), "w") as file:
            json.dump({"category": "technology", "feeds": feeds}, file)


def make_container(bench, name, feeds, url="https://feeds.example/{}.xml".format, schema=SCHEMA):
    """A container file with a schema and that many feeds; returns its name for `--container`."""
    seeds = bench.path(f"{name}-seeds")
    make_seeds(seeds, feeds, url)
    container = f"local:{name}.sqlite"
    bench.tool("container", "init", "--schema", schema, "--container", container)
    bench.tool("seed", "apply", seeds, "--yes", "--container", container)
    return container


def simulate(bench, container, users, skew=1.0):
    """Adds readers of PER_USER feeds each."""
    return bench.tool(
        "container", "fill", "--users", str(users), "--per-user", str(PER_USER), "--skew", str(skew),
        "--container", container)


def copy_container(bench, source, target):
    """A copy of a container file that nobody has open, with its log, over what is there.

    The copy is on the disk when this returns. Otherwise the first command that waits for its own few pages would also
    wait for all those of the copy.
    """
    for ending in ("", "-wal", "-shm"):
        old, new = bench.path(source + ending), bench.path(target + ending)
        if os.path.exists(new):
            os.remove(new)
        if ending != "-shm" and os.path.exists(old):
            shutil.copy(old, new)
            with open(new, "rb+") as copy:
                os.fsync(copy.fileno())
