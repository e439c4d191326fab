"""Recounts through the emulator: how many requests, and how long under the service's own limits."""

import sqlite3

from harness import make_container, simulate
from servers import emulator


def run(bench):
    requests(bench)
    time_under_limits(bench)


def requests(bench, feeds=10_000, subscriptions=1_000_000):
    """From last counts that are up to a twentieth off, and again when nothing has changed since."""
    container = make_container(bench, "counted", feeds)
    simulate(bench, container, subscriptions // 20)
    bench.tool("recount", "subscribers", "--container", container)
    with sqlite3.connect(bench.path("counted.sqlite")) as database:
        naive = database.execute(
            "SELECT sum(max(1, (subscriberCount + 199) / 200)) FROM PublicFeed").fetchone()[0]
        database.execute(
            "UPDATE PublicFeed SET subscriberCount = cast(round(subscriberCount *"
            " (0.95 + 0.1 * (abs(random()) % 1000000) / 1000000.0)) AS INTEGER)")
    database.close()
    with emulator(bench, "counted.sqlite") as env:
        first, again = (
            bench.tool("recount", "subscribers", "--format", "json", env=env, keep=True).result for _ in range(2))
    pages, writes = pages_of(first["sources"]), pages_of(first["changed"])
    total = sum(first["requests"].values())
    # The bound allows for 5% of the pages, and for the writes as they are.
    bench.ratio(
        f"requests, 1,000,000 subscriptions, counts 5% off, {first['strategy']} / pages", str(total),
        f"{pages}+{writes}", (total - writes) / pages, at_most=1.05)
    bench.ratio("  beside one query a feed", str(total), str(naive), total / naive)
    bench.ratio(
        "  modify requests when nothing has changed", str(again["requests"]["modify"]), "0",
        again["requests"]["modify"], at_most=0)


def pages_of(records):
    return -(-records // 200)


def time_under_limits(bench, subscriptions=200_000):
    """From last counts, as every run but the first has them: without any, pages can only be read in turn."""
    container = make_container(bench, "limited", 2000)
    simulate(bench, container, subscriptions // 20)
    bench.tool("recount", "subscribers", "--container", container)
    with emulator(bench, "limited.sqlite", "--latency", "150", "--rate-limit", "40", rate="40") as env:
        ended = bench.tool("recount", "subscribers", "--format", "json", env=env, keep=True)
    result = ended.result
    limit = sum(result["requests"].values()) / 40
    bench.ratio(
        f"recount of 200,000 at 150 ms and 40 requests/s, {result['strategy']} / requests / 40",
        f"{ended.seconds:.1f} s", f"{limit:.1f} s", ended.seconds / limit, at_most=1.15)
