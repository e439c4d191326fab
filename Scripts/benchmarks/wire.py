"""The client against the emulator, both on this machine, without limits."""

import json
import re
import statistics
import subprocess
import urllib.parse

from harness import PER_USER, make_container, simulate
from servers import emulator, post, signed

SUBSCRIPTIONS = 1_000_000
FEEDS = 20_000


def run(bench):
    signing(bench)
    container = make_container(bench, "served", bench.count(2000))
    simulate(bench, container, bench.count(SUBSCRIPTIONS) // PER_USER)
    with emulator(bench, "served.sqlite") as env:
        sweeps(bench, env)
        lookups(bench, env)
    make_container(bench, "paged", bench.count(FEEDS))
    with emulator(bench, "paged.sqlite") as env:
        pages(bench, env)


def signing(bench):
    """One key, one core. OpenSSL's figures are for a hash already made; ours hash a short text as well."""
    ours = bench.yardstick("p256")
    text = subprocess.run(
        ["openssl", "speed", "-elapsed", "-seconds", "1" if bench.small else "2", "ecdsap256"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True, text=True).stdout
    sign, verify = re.search(r"nistp256\).*\s([\d.]+)\s+([\d.]+)\s*$", text.strip()).groups()
    for what, mine, peer in (
            ("sign", ours["signPerSecond"], float(sign)), ("verify", ours["verifyPerSecond"], float(verify))):
        bench.ratio(f"{what} / openssl speed ecdsap256", f"{mine:.0f}/s", f"{peer:.0f}/s", mine / peer)


def sweeps(bench, env):
    for what, words in (
            ("records export", ("records", "export", "FeedSubscription", "--output", "out.jsonl")),
            ("recount --strategy sweep", ("recount", "subscribers", "--strategy", "sweep", "--dry-run"))):
        ended = bench.tool(*words, env=env)
        rate = bench.count(SUBSCRIPTIONS) / ended.seconds
        bench.ratio(
            f"{what}, {SUBSCRIPTIONS:,} records / 20,000 a second", f"{rate:.0f}/s", "20000/s", rate / 20_000,
            at_least=1)
        bench.memory(ended.megabytes, 100)


def lookups(bench, env):
    """Requests signed beforehand, so that the sender spends nothing on it: the emulator must check each."""
    query = {"query": {"recordType": "FeedSubscription"}, "desiredKeys": ["feedRecordName"], "resultsLimit": 64}
    names = [record["recordName"] for record in post(env, "records/query", query)[0]["records"]]
    with open(bench.path("lookups.lua"), "w") as file:
        file.write("local requests, turn = {}, 0\n")
        for name in names:
            file.write(f"requests[#requests + 1] = wrk.format({lookup(env, name)})\n")
        file.write("function request() turn = turn % #requests + 1; return requests[turn] end\n")
    for connections, least in ((10, 4000), (32, 2000)):
        text = bench.run(
            ["wrk", "--threads", "1", "--connections", str(connections), "--duration", "1s" if bench.small else "10s", "--latency", "--script",
             "lookups.lua", env["CLOUDKIT_BASE_URL"]], keep=True).output.decode()
        if "Non-2xx" in text or "Socket errors" in text:
            raise RuntimeError(text)
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
        median, worst = (re.search(rf"{share}%\s+(\S+)", text)[1] for share in (50, 99))
        bench.ratio(
            f"signed lookups, {connections} connections / {least:,} a second", f"{rate:.0f}/s", f"{least}/s", rate / least,
            at_least=1)
        bench.rows.append(("  p99 beside the median", worst, median, "", "", "", ""))


def pages(bench, env):
    """A filter that all records pass, and a sort: without the right index, every page would read them all."""
    plain = {"recordType": "PublicFeed"}
    chosen = {
        **plain, "sortBy": [{"fieldName": "title", "ascending": True}],
        "filterBy": [{"fieldName": "isFeatured", "comparator": "EQUALS", "fieldValue": {"value": 0, "type": "INT64"}}]}
    times = {}
    for _ in range(1 if bench.small else 21):
        for name, query in (("plain", plain), ("chosen", chosen)):
            page, seconds = post(env, "records/query", {"query": query, "resultsLimit": 200})
            times.setdefault(name, []).append(seconds)
            if len(page["records"]) != min(200, bench.count(FEEDS)):
                raise RuntimeError(f"a page of {len(page['records'])} records")
    ours, peer = (statistics.median(times[name]) for name in ("chosen", "plain"))
    bench.ratio(
        f"a filtered and sorted page over {FEEDS:,} records / a plain one", f"{ours * 1000:.1f} ms", f"{peer * 1000:.1f} ms",
        ours / peer, at_most=3)


def lookup(env, name):
    """The request as arguments in Lua, after one like it has been answered with the record."""
    message = {"records": [{"recordName": name}]}
    found = post(env, "records/lookup", message)[0]["records"][0]
    if found.get("recordType") != "FeedSubscription":
        raise RuntimeError(f"the emulator answered {found}")
    body = json.dumps(message).encode()
    path, headers = signed(env, "records/lookup", body)
    # Requests that are made before wrk connects have no host by themselves.
    headers["Host"] = urllib.parse.urlsplit(env["CLOUDKIT_BASE_URL"]).netloc
    pairs = ", ".join(f"[{json.dumps(key)}] = {json.dumps(value)}" for key, value in headers.items())
    return f"'POST', {json.dumps(path)}, {{{pairs}}}, {json.dumps(body.decode())}"
