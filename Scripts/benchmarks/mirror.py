"""A mirror through the emulator: a first copy beside an export of the same records, and a run after one in a hundred changed."""

import time

from harness import PER_USER, SCHEMA, make_container, pages, simulate
from servers import emulator

RECORDS = 1_000_000
TYPE = "FeedSubscription"
SETTLED = {"CELESTRA_ADMIN_RECORDS_SETTLE": "0s"}


def run(bench):
    users = bench.count(RECORDS // PER_USER)
    records = users * PER_USER
    make(bench, users)
    with emulator(bench, "served.sqlite") as env:
        env = {**env, **SETTLED}
        export = bench.tool("records", "export", TYPE, "--output", "out.jsonl", env=env)
        first = mirror(bench, env)
    bench.seconds(
        f"first copy of {records:,} records / records export", first.seconds, export.seconds, at_most=1.1,
        processor=first.processor / export.processor)
    bench.memory(first.megabytes, 64)
    bench.requests("  its requests / pages", requests(first), pages(records), 1.1)
    changed = touch(bench, records // 100)
    with emulator(bench, "served.sqlite") as env:
        later = mirror(bench, {**env, **SETTLED})
    if later.result["changed"] != changed:
        raise RuntimeError(f"{later.result} instead of {changed} changed")
    bench.requests("a run after 1 % changed: requests / pages", requests(later), pages(changed), 1.1)
    bench.seconds("  its time / the first copy's", later.seconds, first.seconds, at_most=0.05)
    bench.memory(later.megabytes, 64)


def make(bench, users):
    """Subscriptions with an index on the time of changes."""
    with open(SCHEMA) as source, open(bench.path("schema.ckdb"), "w") as target:
        head, tail = source.read().split(f"RECORD TYPE {TYPE} (", 1)
        target.write(f'{head}RECORD TYPE {TYPE} (\n        "___modTime" TIMESTAMP QUERYABLE,{tail}')
    simulate(bench, make_container(bench, "served", 2000, schema="schema.ckdb"), users)


def touch(bench, count):
    """Gives records a new version, as if an app had written them."""
    now = int(time.time() * 1000)
    changed = int(bench.sql(
        "served",
        f"UPDATE _record SET tag = tag + 1000000000, modifiedAt = {now} WHERE id % 100 = 0 AND type ="
        f" (SELECT id FROM _type WHERE name = '{TYPE}' AND environment = 'development'); SELECT changes()")[0])
    if abs(changed - count) > count // 50:
        raise RuntimeError(f"{changed} records were changed instead of {count}")
    return changed


def mirror(bench, env):
    return bench.tool(
        "container", "backup", "mirror.sqlite", "--types", TYPE, "--schema", "schema.ckdb", "--format", "json", env=env,
        keep=True)


def requests(ended):
    return sum(ended.result["requests"].values())
