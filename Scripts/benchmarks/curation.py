"""Curation of 10,000 feeds: import of OPML, pull, drift and a plan with nothing to do.

Each is compared with the least that it must do: parse the seeds as JSON once, and read the same records of a local
container once. Both are measured in the same run.
"""

import glob
import os
import shutil
import statistics
import subprocess
from xml.sax.saxutils import quoteattr

from harness import make_container

FEEDS = 10_000
TYPES = ("FeedCategory", "PublicFeed", "FeedCollection")


def run(bench):
    count = bench.count(FEEDS)
    container = make_container(bench, "catalog", count)
    # The revision of the last apply is the base of a pull.
    for words in (["init", "-q"], ["add", "catalog-seeds"], ["commit", "-q", "-m", "Seeds"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *words], cwd=bench.folder, check=True)
    bench.tool("seed", "apply", "catalog-seeds", "--yes", "--container", container)
    write_opml(bench.path("list.opml"), count)
    os.makedirs(bench.path("empty", "feeds"))
    shutil.copy(bench.path("catalog-seeds", "categories.json"), bench.path("empty"))
    files = sorted(glob.glob(bench.path("catalog-seeds", "**", "*.json"), recursive=True))
    parse = bench.yardstick("json", *files)["seconds"]
    for what, words in (
        ("seed plan, nothing to do", ("plan", "catalog-seeds", "--exit-code")),
        ("seed pull --check, nothing to do", ("pull", "catalog-seeds", "--check")),
        ("seed pull, nothing to do", ("pull", "catalog-seeds")),
        ("seed import of 10,000 outlines", ("import", "list.opml", "fresh", "--category", "technology")),
    ):
        compare(bench, what, parse, container, words)


def compare(bench, what, parse, container, words):
    """The medians of five turns, the command and the reading in turn."""
    ours, reads = [], []
    for _ in range(1 if bench.small else 5):
        shutil.copytree(bench.path("empty"), bench.path("fresh"))
        reads.append(bench.tool("records", "export", *TYPES, "--container", container))
        ours.append(bench.tool("seed", *words, "--container", container))
        shutil.rmtree(bench.path("fresh"))
    mine, read = (statistics.median(run.seconds for run in side) for side in (ours, reads))
    peer = parse + read
    processor = statistics.median(run.processor for run in ours) / (
        parse + statistics.median(run.processor for run in reads))
    bench.ratio(
        f"{what} / parsing and reading 10,000 feeds", f"{mine:.3f} s", f"{peer:.3f} s", mine / peer, at_most=2,
        processor=processor)


def write_opml(path, count):
    with open(path, "w") as file:
        file.write('<opml version="2.0"><head><title>Made up</title></head><body>\n')
        for number in range(count):
            title, url = f"Feed number {number}", f"https://feeds.example/{number}.xml?a=1&b=2"
            file.write(f"<outline type=\"rss\" text={quoteattr(title)} xmlUrl={quoteattr(url)} "
                       f"htmlUrl=\"https://feeds.example/{number}\"/>\n")
        file.write("</body></opml>\n")
