"""Moderation through the emulator: the queue of 10,000 reports about 2,000 of a million messages, and a person to block who
wrote very many of them."""

import json
import os
import re

from harness import ROOT, pages
from servers import emulator

SCHEMA = os.path.join(ROOT, "schema", "live-sessions.ckdb")
MESSAGES = 1_000_000
# What `container fill` makes.
PER_SESSION = 12
MESSAGE = "(SELECT id FROM _type WHERE name = 'ChatMessage' AND environment = 'development')"


def run(bench):
    cases, blocked = bench.count(2_000), bench.count(MESSAGES // 5)
    reports = 5 * cases
    name, messages = make(bench, cases, reports, blocked)
    with emulator(bench, "served.sqlite") as env:
        env = {**env, "CELESTRA_ADMIN_SCHEMA": SCHEMA}
        queue, asked = moderate(bench, env, "list")
        if (queue.result["waiting"], queue.result["reports"]) != (cases, reports):
            raise RuntimeError(f"{queue.result['waiting']} cases of {queue.result['reports']} reports")
        # One more asks for the service's time.
        bound = pages(reports) + pages(cases) + 1
        bench.requests(
            f"queue of {reports:,} reports among {messages:,} messages: requests / pages and lookups", asked, bound, 1)
        bench.memory(queue.megabytes, 64)
        block, asked = moderate(bench, env, "block", name, "--yes")
    # A page is read, its decisions and reports are looked for, and decisions and records are written.
    bound = 9 * pages(blocked) + 40
    bench.requests(
        f"block of who wrote {blocked:,} messages ({block.seconds:.0f} s): requests / 9 a page and 40", asked, bound, 1.05)
    bench.memory(block.megabytes, 64)


def make(bench, cases, reports, blocked):
    """Sessions, reports about messages in equal distances, and one author of the first messages. Returns the name of one of
    these and the number of all messages."""
    container = ("--container", "local:served.sqlite")
    bench.tool("container", "init", "--schema", SCHEMA, *container)
    bench.tool(
        "container", "fill", "--sessions", str(bench.count(MESSAGES // PER_SESSION)), "--users", "5000", *container)
    messages = int(bench.sql("served", f"SELECT count(*) FROM _record WHERE type = {MESSAGE}")[0])
    # Only the names that are needed: what this process holds counts as its children's, too.
    names = bench.sql(
        "served",
        f"SELECT name FROM (SELECT name, row_number() OVER (ORDER BY id) - 1 AS place FROM _record WHERE type = {MESSAGE})"
        f" WHERE place % {messages // cases} = 0 LIMIT {cases}")
    bench.sql(
        "served",
        f"UPDATE AbuseReport SET isOpen = 0; UPDATE _record SET createdBy ="
        f" (SELECT createdBy FROM _record WHERE name = '{names[0]}') WHERE id IN"
        f" (SELECT id FROM _record WHERE type = {MESSAGE} ORDER BY id LIMIT {blocked})")
    with open(bench.path("reports.jsonl"), "w") as file:
        for number in range(reports):
            file.write(json.dumps(report(number, names[number % cases])) + "\n")
    bench.tool("records", "import", "reports.jsonl", "--yes", *container)
    return names[0], messages


def report(number, target):
    texts = {"target": target, "targetType": "ChatMessage", "reason": "spam"}
    fields = {key: {"type": "STRING", "value": value} for key, value in texts.items()}
    return {
        "recordType": "AbuseReport", "recordName": f"report-{number}",
        "fields": {**fields, "isOpen": {"type": "INT64", "value": 1}}}


def moderate(bench, env, *words):
    """Runs `moderation`, and counts its requests for records."""
    ended = bench.tool("moderation", *words, "--format", "json", "-v", "--log-format", "json", env=env, keep=True)
    with open(bench.path("stderr")) as log:
        return ended, len(re.findall(r'"endpoint":"records/', log.read()))
