"""Measures the built binary against its peers, whole processes from outside, and prints a table of ratios.

Each comparison runs its two sides in turn, several times, and quotes medians. Nothing here fails a build: the
table is for reading.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Bench:
    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.rows = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, *words, **options):
        return [self.binary, *words]

    def run(self, command, stdin=None, env=None):
        """Runs one process to its end; returns (seconds, peak megabytes). A failure ends the benchmark."""
        start = time.perf_counter()
        source = open(stdin, "rb") if stdin else subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=self.folder, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})})
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{errors.decode(errors='replace')}")
        scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return time.perf_counter() - start, usage.ru_maxrss / scale

    def compare(self, what, ours, peer, limit, runs=3, before=None):
        """One row: our median time over the peer's, both measured here and now, in turn."""
        a, b, memory = [], [], 0
        for _ in range(runs):
            if before:
                before()
            seconds, peak = ours()
            a.append(seconds)
            memory = max(memory, peak)
            b.append(peer()[0])
        ratio = statistics.median(a) / statistics.median(b)
        self.row(what, f"{statistics.median(a):.3f} s", f"{statistics.median(b):.3f} s", f"{ratio:.2f}", limit)
        return memory

    def row(self, what, ours, peer, ratio, limit):
        self.rows.append((what, ours, peer, ratio, limit))
        print(f"  {what}: {ours} against {peer}: {ratio} (at most {limit})", file=sys.stderr, flush=True)

    def table(self):
        head = ("what", "ours", "peer or limit", "ratio", "target")
        widths = [max(len(str(row[i])) for row in [head, *self.rows]) for i in range(5)]
        for row in [head, tuple("-" * w for w in widths), *self.rows]:
            print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


def local_section(bench):
    """The embedded container: start-up, bulk writing, recount, planning."""
    bench.compare(
        "--version / curl --version", lambda: bench.run(bench.tool("--version")),
        lambda: bench.run(["curl", "--version"]), "2.0", runs=21)

    schema = os.path.join(ROOT, "schema", "celestra.ckdb")
    big = "local:big.sqlite"
    make_feeds(bench, 10_000)
    bench.run(bench.tool("container", "init", "--schema", schema, "--container", big))
    bench.run(bench.tool("seed", "apply", "big-seeds", "--yes", "--container", big))
    seconds, _ = bench.run(bench.tool("seed", "plan", "big-seeds", "--container", big))
    bench.row("seed plan, 10,000 feeds, nothing to do", f"{seconds:.3f} s", "1 s", f"{seconds:.2f}", "1.00")

    simulate = bench.tool(
        "simulate", "subscriptions", "--users", "50000", "--per-user", "20", "--skew", "1", "--seed", "1",
        "--container", big)
    ours = bench.run(simulate)
    dump(bench, "big.sqlite", "rows.sql")
    peer = [bench.run(["sqlite3", fresh(bench, "peer.sqlite")], stdin=bench.path("rows.sql")) for _ in range(1)][0]
    bench.row(
        "simulate 1,000,000 subscriptions / sqlite3 inserting the same rows", f"{ours[0]:.2f} s", f"{peer[0]:.2f} s",
        f"{ours[0] / peer[0]:.2f}", "3.0")
    bench.row("  its memory", f"{ours[1]:.0f} MB", "64 MB", f"{ours[1] / 64:.2f}", "1.00")

    recount = bench.tool("recount", "subscribers", "--dry-run", "--container", big)
    group = ["sqlite3", "big.sqlite", "SELECT feedRecordName, count(*) FROM FeedSubscription GROUP BY 1"]
    memory = bench.compare(
        "recount 1,000,000 over 10,000 feeds / sqlite3 GROUP BY", lambda: bench.run(recount),
        lambda: bench.run(group), "1.5", runs=5)
    bench.row("  its memory", f"{memory:.0f} MB", "64 MB", f"{memory / 64:.2f}", "1.00")


def make_feeds(bench, count):
    """A catalog of many feeds, in the form of the project's own seeds."""
    folder = bench.path("big-seeds")
    os.makedirs(os.path.join(folder, "feeds"))
    shutil.copy(os.path.join(ROOT, "seeds", "categories.json"), folder)
    sample = json.load(open(os.path.join(ROOT, "seeds", "feeds", "technology.json")))
    entries = sample["feeds"] if isinstance(sample, dict) else sample
    category = entries[0].get("category", "technology")
    for start in range(0, count, 1000):
        feeds = [
            {"slug": f"feed-{n}", "title": f"Feed number {n}", "feedURL": f"https://feeds.example/{n}.xml",
             "siteURL": f"https://feeds.example/{n}", "language": "en", "category": category, "tags": ["made", "up"]}
            for n in range(start, start + 1000)]
        document = {**sample, "feeds": feeds} if isinstance(sample, dict) else feeds
        json.dump(document, open(os.path.join(folder, "feeds", f"f{start}.json"), "w"))


def dump(bench, database, name):
    with open(bench.path(name), "wb") as out:
        subprocess.run(
            ["sqlite3", bench.path(database), ".dump"], stdout=out, check=True)


def fresh(bench, name):
    path = bench.path(name)
    if os.path.exists(path):
        os.remove(path)
    return path


SECTIONS = {"local": local_section}


def main():
    binary, names = sys.argv[1], sys.argv[2:] or list(SECTIONS)
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        sys.exit(f"unknown section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(binary, folder)
        for name in names:
            print(f"==> {name}", file=sys.stderr, flush=True)
            SECTIONS[name](bench)
        bench.table()


main()
