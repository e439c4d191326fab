"""Stored articles: a first fill and later runs beside the health check alone, and the memory of a large first fill."""

import os

from feeds import write_rss
from harness import copy_container, make_container
from servers import nginx

ITEM = 1000
# Twenty items: each is a little larger than asked.
DOCUMENT = 20 * ITEM + 800


def run(bench):
    count, many = bench.count(2000), bench.count(20_000)
    pages = bench.path("pages")
    os.makedirs(pages)
    for number in range(count):
        write_rss(os.path.join(pages, f"{number}.xml"), DOCUMENT, ITEM, number)
    with nginx(bench, pages) as port:
        addresses = {
            "304": lambda number: f"http://feed-{number}.localhost:{port}/{number % count}.xml",
            "200": lambda number: f"http://feed-{number}.localhost:{port}/plain/{number % count}.xml",
        }
        for name, url in addresses.items():
            # The same documents, with and without validators.
            make_container(bench, f"feeds-{name}", count, url)
        filling(bench, count)
        for name in addresses:
            for kind, command in (("filled", fetch), ("known", check)):
                copy_container(bench, f"feeds-{name}.sqlite", f"{kind}-{name}.sqlite")
                bench.tool(*command(f"{kind}-{name}"))
        # One new item, at the top of the document.
        for number in range(0, count, 20):
            write_rss(os.path.join(pages, f"{number}.xml"), DOCUMENT, ITEM, number, newer=1)
        for name, words in (("304", "the others answer 304"), ("200", "all answer 200")):
            changed(bench, name, f"5 % of 2,000 feeds changed, {words} / health check alone", count // 20)
        make_container(bench, "many", many, addresses["304"])
        ended = bench.tool(*fetch("many"), keep=True)
        expect_new(ended, 20 * many)
        bench.memory(ended.megabytes, 192, "20,000 feeds of 20 items, first fill: memory")


def filling(bench, count):
    """What is compared with an import writes the same records."""
    ours = lambda: expect_new(bench.tool(*fetch("filled"), keep=True), 20 * count)
    copy_container(bench, "feeds-304.sqlite", "filled.sqlite")
    ours()
    bench.tool(
        "records", "export", "PublicArticle", "--output", "articles.jsonl", "--container", "local:filled.sqlite")

    def before():
        for name in ("filled", "known", "imported"):
            copy_container(bench, "feeds-304.sqlite", f"{name}.sqlite")

    peer = lambda: bench.tool(*check("known")) + bench.tool(
        "records", "import", "articles.jsonl", "--yes", "--container", "local:imported.sqlite")
    bench.compare(
        "2,000 feeds of 20 items, first fill / health check + records import", ours, peer, at_most=1.5, runs=5,
        before=before)


def changed(bench, name, what, new):
    def before():
        for kind in ("filled", "known"):
            copy_container(bench, f"{kind}-{name}.sqlite", f"{kind}.sqlite")

    bench.compare(
        what, lambda: expect_new(bench.tool(*fetch("filled"), keep=True), new), lambda: bench.tool(*check("known")),
        at_most=1.15, runs=9, before=before)


def options(container):
    return ["--force", "--allow-private-addresses", "--concurrency", "50", "--container", f"local:{container}.sqlite"]


def fetch(container):
    return ["articles", "fetch", *options(container), "--format", "json"]


def check(container):
    return ["health", "check", *options(container), "--format", "json"]


def expect_new(ended, number):
    if ended.result["articles"]["new"] != number:
        raise RuntimeError(f"{ended.result['articles']} instead of {number} new")
    return ended
