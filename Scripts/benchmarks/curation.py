"""Curation of 10,000 feeds: import of OPML, pull, drift and a plan with nothing to do.

Each is compared with the least that it must do: parse the seeds as JSON once, and read the same records of a local
container once. Both are measured in the same run.
"""

import glob
import os
import shutil
import subprocess
from xml.sax.saxutils import quoteattr

from harness import Ended, make_container

TYPES = ("FeedCategory", "PublicFeed", "FeedCollection")


def run(bench):
    count = bench.count(10_000)
    container = make_container(bench, "catalog", count)
    # The revision of the last apply is the base of a pull.
    for words in (["init", "-q"], ["add", "catalog-seeds"], ["commit", "-q", "-m", "Seeds"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *words], cwd=bench.folder, check=True)
    bench.tool("seed", "apply", "catalog-seeds", "--yes", "--container", container)
    write_opml(bench.path("list.opml"), count)
    files = sorted(glob.glob(bench.path("catalog-seeds", "**", "*.json"), recursive=True))
    parse = Ended(*[bench.yardstick("json", *files)["seconds"]] * 2)

    def before():
        """The folder for what is imported has the categories and no feeds."""
        shutil.rmtree(bench.path("fresh"), ignore_errors=True)
        os.makedirs(bench.path("fresh", "feeds"))
        shutil.copy(bench.path("catalog-seeds", "categories.json"), bench.path("fresh"))

    for what, words in (
        ("seed plan, nothing to do", ("plan", "catalog-seeds", "--exit-code")),
        ("seed pull --check, nothing to do", ("pull", "catalog-seeds", "--check")),
        ("seed pull, nothing to do", ("pull", "catalog-seeds")),
        ("seed import of 10,000 outlines", ("import", "list.opml", "fresh", "--category", "technology")),
    ):
        bench.compare(
            f"{what} / parsing and reading 10,000 feeds",
            lambda: bench.tool("seed", *words, "--container", container),
            lambda: parse + bench.tool("records", "export", *TYPES, "--container", container), at_most=2, runs=5,
            before=before)


def write_opml(path, count):
    with open(path, "w") as file:
        file.write('<opml version="2.0"><head><title>Made up</title></head><body>\n')
        for number in range(count):
            title, url = f"Feed number {number}", f"https://feeds.example/{number}.xml?a=1&b=2"
            file.write(f"<outline type=\"rss\" text={quoteattr(title)} xmlUrl={quoteattr(url)} "
                       f"htmlUrl=\"https://feeds.example/{number}\"/>\n")
        file.write("</body></opml>\n")
