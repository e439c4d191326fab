"""Stored articles: a first fill and later runs beside the health check alone, and the memory of a large first fill."""

from feeds import write_pages
from harness import copy_container, make_container
from servers import nginx


def run(bench):
    count, many = bench.count(2000), bench.count(20_000)
    with nginx(bench, write_pages(bench, range(count))) as port:
        addresses = {
            "304": lambda number: f"http://feed-{number}.localhost:{port}/{number % count}.xml",
            "200": lambda number: f"http://feed-{number}.localhost:{port}/plain/{number % count}.xml",
        }
        for name, url in addresses.items():
            # The same documents, with and without validators.
            make_container(bench, f"feeds-{name}", count, url)
        filling(bench, count)
        for name in addresses:
            for kind in ("filled", "known"):
                copy_container(bench, f"feeds-{name}.sqlite", f"{kind}-{name}.sqlite")
            fetch(bench, f"filled-{name}", 20 * count)
            check(bench, f"known-{name}")
        # One new item, at the top of the document.
        write_pages(bench, range(0, count, 20), newer=1)
        for name, words in (("304", "the others answer 304"), ("200", "all answer 200")):
            changed(bench, name, f"5 % of 2,000 feeds changed, {words} / health check alone", count // 20)
        make_container(bench, "many", many, addresses["304"])
        bench.memory(fetch(bench, "many", 20 * many).megabytes, 192, "20,000 feeds of 20 items, first fill: memory")


def filling(bench, count):
    """What is compared with an import writes the same records."""
    ours = lambda: fetch(bench, "filled", 20 * count)
    copy_container(bench, "feeds-304.sqlite", "filled.sqlite")
    ours()
    bench.tool(
        "records", "export", "PublicArticle", "--output", "articles.jsonl", "--container", "local:filled.sqlite")

    def before():
        for name in ("filled", "known", "imported"):
            copy_container(bench, "feeds-304.sqlite", f"{name}.sqlite")

    peer = lambda: check(bench, "known") + bench.tool(
        "records", "import", "articles.jsonl", "--yes", "--container", "local:imported.sqlite")
    bench.compare(
        "2,000 feeds of 20 items, first fill / health check + records import", ours, peer, at_most=1.5, runs=5,
        before=before)


def changed(bench, name, what, new):
    def before():
        for kind in ("filled", "known"):
            copy_container(bench, f"{kind}-{name}.sqlite", f"{kind}.sqlite")

    bench.compare(
        what, lambda: fetch(bench, "filled", new), lambda: check(bench, "known"), at_most=1.15, runs=9, before=before)


def check(bench, container, verb=("health", "check")):
    return bench.tool(
        *verb, "--force", "--allow-private-addresses", "--concurrency", "50", "--container", f"local:{container}.sqlite",
        "--format", "json", keep=True)


def fetch(bench, container, new):
    """A run that must store that many new articles."""
    ended = check(bench, container, ("articles", "fetch"))
    if ended.result["articles"]["new"] != new:
        raise RuntimeError(f"{ended.result['articles']} instead of {new} new")
    return ended
