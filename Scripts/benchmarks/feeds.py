"""Feeds: the parser beside libxml2, and health checks beside curl."""

import datetime
import email.utils
import json
import os

from harness import copy_container, make_container
from servers import nginx, silence

LINE = "The quick brown fox isn't as lazy as it looks; see the <a href=\"https://example.com/?a=1&b=2\">notes</a>. "


def run(bench):
    parsing(bench, "1 MB RSS, long articles", bench.path("long.xml"), item_bytes=4000, at_least=0.88)
    parsing(bench, "1 MB RSS, short items", bench.path("short.xml"), item_bytes=500, at_least=0.72)
    checking(bench)


def parsing(bench, what, path, item_bytes, at_least):
    write_rss(path, 5 * item_bytes if bench.small else 1 << 20, item_bytes)
    best = bench.yardstick("feed", path)
    empty, ours, read = (best[name] for name in ("emptySeconds", "feedSeconds", "readSeconds"))
    shown = lambda seconds: f"{seconds * 1000:.2f} ms"
    bench.ratio(f"{what}: speed of bare libxml2 SAX2", shown(ours), shown(empty), empty / ours, at_least=at_least)
    bench.ratio(f"{what}, and a string made of every text", shown(read), shown(empty), empty / read)


def checking(bench):
    count = bench.count(2000)
    with nginx(bench, write_pages(bench, range(count))) as port:
        url = lambda number: f"http://feed-{number}.localhost:{port}/{number}.xml"
        make_container(bench, "fresh", count, url)
        with open(bench.path("urls.txt"), "w") as file:
            file.writelines(f'url = "{url(number)}"\noutput = "/dev/null"\n' for number in range(count))
        peer = lambda: bench.run(
            ["curl", "--silent", "--parallel", "--parallel-max", "50", "--config", "urls.txt"])
        # By the line: a dry run's JSON has every field that would be written, which is not what is measured here.
        check = ["health", "check", "--allow-private-addresses", "--concurrency", "50", "--container",
                 "local:checked.sqlite", "--format", "jsonl"]
        ours = lambda *words: all_healthy(bench.tool(*check, *words, keep=True), count)
        before = lambda: copy_container(bench, "fresh.sqlite", "checked.sqlite")
        bench.compare(
            "2,000 feeds fetched, parsed, judged / curl to /dev/null", lambda: ours("--dry-run"), peer, at_most=1.4,
            runs=15, before=before)
        bench.compare("  and recorded, 4,000 records", ours, peer, at_most=1.7, runs=15, before=before)


def all_healthy(ended, count):
    # The line of the run itself, the last one, has no status.
    healthy = sum(json.loads(line).get("status") == "healthy" for line in ended.output.splitlines())
    if healthy != count:
        raise RuntimeError(f"of {count} feeds {healthy} are healthy")
    return ended


def run_hanging(bench):
    """A tenth of the feeds never answer. Two looks and the pause between them are what one such host takes."""
    count, timeout = bench.count(20_000), 1 if bench.small else 5
    with nginx(bench, write_pages(bench, [0])) as port, silence() as silent:
        url = lambda number: f"http://feed-{number}.localhost:{port if number % 10 else silent}/{number}.xml"
        container = make_container(bench, "mixed", count, url)
        ended = bench.tool(
            "health", "check", "--allow-private-addresses", "--concurrency", str(count // 10 + 100), "--timeout",
            f"{timeout}s", "--container", container, "--format", "json", keep=True)
    result = ended.result
    slowest = 2 * timeout + 5
    bench.seconds("20,000 feeds, a tenth hanging / two looks at one of those", ended.seconds, slowest, at_most=3)
    bench.memory(ended.megabytes, 128)
    answering = count * 9 // 10
    bench.ratio(
        "  found healthy, of those that answer", str(result["healthy"]), str(answering), result["healthy"] / answering,
        at_least=1)


NOW = datetime.datetime.now(datetime.timezone.utc)


def write_pages(bench, numbers, newer=0):
    """Documents of twenty items, each for the feed of its number; returns their folder."""
    os.makedirs(bench.path("pages"), exist_ok=True)
    for number in numbers:
        # An item is a little larger than asked.
        write_rss(bench.path("pages", f"{number}.xml"), 20_800, 1000, number, newer)
    return bench.path("pages")


def write_rss(path, size, item_bytes, seed=0, newer=0):
    """RSS 2.0 of about `size` bytes in items of about `item_bytes`, with every field that the parser keeps.

    `newer` is the number of items before those of an earlier version of the document.
    """
    with open(path, "w") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"'
            ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">\n'
            f"<channel>\n<title>Feed {seed}</title>\n<link>https://example.com/{seed}</link>\n"
            "<description>Made for measuring</description>\n<language>en</language>\n<ttl>60</ttl>\n")
        number = -newer
        while file.tell() < size - item_bytes // 2:
            file.write(item(number, seed, item_bytes))
            number += 1
        file.write("</channel>\n</rss>\n")


def item(number, seed, size):
    link = f"https://example.com/{seed}/posts/{number}"
    # A new item was published after the last fetch.
    published = NOW - datetime.timedelta(hours=12 * (number + 1)) if number >= 0 else datetime.datetime.now(NOW.tzinfo)
    frame = (
        f"<item>\n<title>Post {number} &amp; what it's about</title>\n<link>{link}</link>\n"
        f'<guid isPermaLink="true">{link}</guid>\n<dc:creator>Ann Author</dc:creator>\n'
        f"<pubDate>{email.utils.format_datetime(published)}</pubDate>\n"
        f"<category>news</category>\n<description>A summary of post {number} &lt;b&gt;in short&lt;/b&gt;."
        "</description>\n")
    lines = max(0, (size - len(frame)) // len(LINE))
    body = f"<content:encoded><![CDATA[<p>{LINE * lines}</p>]]></content:encoded>\n" if lines else ""
    return f"{frame}{body}</item>\n"
