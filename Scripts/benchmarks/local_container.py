"""The embedded container: start-up, bulk writing, recount."""

import subprocess

from harness import make_container, simulate

GROUP = "SELECT feedRecordName, count(*) FROM FeedSubscription GROUP BY 1"


def run(bench):
    bench.compare(
        "--version / curl --version", lambda: bench.tool("--version"), lambda: bench.run(["curl", "--version"]),
        at_most=1.3, runs=21)
    big = make_container(bench, "big", bench.count(10_000))
    ours = simulate(bench, big, bench.count(50_000))
    with open(bench.path("rows.sql"), "wb") as out:
        subprocess.run(["sqlite3", bench.path("big.sqlite"), ".dump"], stdout=out, check=True)
    peer = bench.run(["sqlite3", "peer.sqlite"], stdin=bench.path("rows.sql"))
    bench.seconds(
        "simulate 1,000,000 subscriptions / sqlite3 inserting the same rows", ours.seconds, peer.seconds, at_most=3,
        processor=ours.processor / peer.processor)
    counts = bench.compare(
        "recount 1,000,000 over 10,000 feeds / sqlite3 GROUP BY",
        lambda: bench.tool("recount", "subscribers", "--dry-run", "--container", big),
        lambda: bench.run(["sqlite3", "big.sqlite", GROUP]), at_most=1.5, runs=5)
    bench.memory(max(run.megabytes for run in counts), 64)
