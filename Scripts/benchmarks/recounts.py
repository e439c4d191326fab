"""Recounts through the emulator: how many requests, and how long under the service's own limits."""

from harness import make_container, pages, simulate
from servers import emulator


def run(bench):
    requests(bench)
    names(bench)
    for skew in (1.0,) if bench.small else (0.8, 1.0, 1.2):
        time_under_limits(bench, skew)


def requests(bench):
    """From last counts that are up to a twentieth off, and again when nothing has changed since."""
    container = make_container(bench, "counted", bench.count(10_000))
    simulate(bench, container, bench.count(50_000))
    bench.tool("recount", "subscribers", "--container", container)
    naive = int(bench.sql("counted", "SELECT sum(max(1, (subscriberCount + 199) / 200)) FROM PublicFeed")[0])
    bench.sql(
        "counted", "UPDATE PublicFeed SET subscriberCount = cast(round(subscriberCount *"
        " (0.95 + 0.1 * (abs(random()) % 1000000) / 1000000.0)) AS INTEGER)")
    with emulator(bench, "counted.sqlite") as env:
        first, again = (
            bench.tool("recount", "subscribers", "--format", "json", env=env, keep=True).result for _ in range(2))
    read, writes = pages(first["sources"]), pages(first["changed"])
    total = sum(first["requests"].values())
    # The bound allows for 5% of the pages, and for the writes as they are.
    bench.ratio(
        f"requests, 1,000,000 subscriptions, counts 5% off, {first['strategy']} / pages", str(total),
        f"{read}+{writes}", (total - writes) / read, at_most=1.05)
    bench.ratio("  beside one query a feed", str(total), str(naive), total / naive)
    bench.ratio(
        "  modify requests when nothing has changed", str(again["requests"]["modify"]), "0",
        again["requests"]["modify"], at_most=0)


def names(bench):
    """Checking names against their creators, beside the same count that looks only at the form of the names.

    A sweep may take 1.25 of the time. The local count checks names only when asked.
    """
    container = make_container(bench, "named", bench.count(10_000))
    simulate(bench, container, bench.count(50_000))
    with open(bench.path("shape.json"), "w") as out:
        out.write(SHAPE)
    for strategy, most in (("sweep", 1.25), ("pushdown", None)):
        words = ("--dry-run", "--container", container, "--strategy", strategy)
        check = () if strategy == "sweep" else ("--count-names", "verified")
        plain, checked = (
            min((bench.tool("recount", *aggregate, *words) for _ in range(3)), key=lambda run: run.processor)
            for aggregate in (("shape", "--aggregates", bench.path("shape.json")), ("subscribers", *check)))
        bench.seconds(
            f"{strategy} of 1,000,000 that checks names / form only: processor time", checked.processor, plain.processor,
            at_most=most)


SHAPE = """{"aggregates": [{"name": "shape",
  "source": {"recordType": "FeedSubscription", "groupField": "feedRecordName", "recordNames": "sha256"},
  "targets": [{"recordType": "PublicFeed", "field": "subscriberCount"},
    {"recordType": "FeedCollection", "field": "subscriberCount"},
    {"recordType": "FeedMetadata", "field": "subscriberCount", "groupField": "feedReference", "copy": true}]}]}"""


def time_under_limits(bench, skew, rate=40, latency=0.15):
    """From last counts, as every run but the first has them: without any, pages can only be read in turn.

    Two limits hold: the service's rate, and that the pages of one feed come one after the other.
    """
    name = f"limited-{skew}"
    container = make_container(bench, name, bench.count(2000))
    simulate(bench, container, bench.count(10_000), skew=skew)
    bench.tool("recount", "subscribers", "--container", container)
    largest = int(bench.sql(name, "SELECT max(subscriberCount) FROM PublicFeed")[0])
    with emulator(
            bench, f"{name}.sqlite", "--latency", str(round(latency * 1000)), "--rate-limit", str(rate),
            rate=str(rate)) as env:
        ended = bench.tool("recount", "subscribers", "--format", "json", env=env, keep=True)
    result = ended.result
    limit = max(sum(result["requests"].values()) / rate, pages(largest) * latency)
    bench.seconds(
        f"recount of 200,000, skew {skew}, 150 ms, 40 requests/s, {result['strategy']} / limit", ended.seconds, limit,
        at_most=1.15)
