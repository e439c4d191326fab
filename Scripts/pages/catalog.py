"""Made-up catalogs for the tests of pages, as the NDJSON that `records import` takes. The same size gives the same bytes."""

import json
import random
import uuid

NOW = 1_772_452_800_000  # 2026-03-02T12:00:00Z
CLOCK = "2026-03-02T12:00:00Z"
DAY = 86_400_000
REASONS = ["FH0201 nothing is there", "FH0102 no address", "FH0206 a server error"]
WORDS = ["Journal", "Letters", "Notes", "Weekly", "Atlas", "Field", "Garden", "Harbor", "Signal", "Lantern", "Quiet",
         "Northern", "Open", "Paper", "River", "Stone", "Summer", "Tiny", "Winter", "Workshop"]

HOSTILE = [
    ("</script><script>alert(1)</script>", "javascript:alert(1)"),
    ("\"\u0301 autofocus onfocus=alert(1) x=\"\u0301", "http://a\"b.example/"),
    ("<img src=x onerror=alert(1)>", "data:text/html,<script>alert(1)</script>"),
    ("<!--<script>", "//host.example/feed"), ("]]>&lt;b&gt;", " JaVaScRiPt:alert(1)"),
    ("\u202Egnp.exe \u2066x", "https://xn--mnchen-3ya.example/"), ("W" * 10_000, "https://a.example/" + "x" * 8000),
    ("\u0301" * 500, "https://b.example/"), ("a\u2028b\u2029c", "https://c.example/"),
    ("' onclick='alert(1)", "https://d.example/?a=1&b=\"2\"#f"),
]


def record(kind, record_name, **fields):
    values = {key: {"type": value[0], "value": value[1]} for key, value in fields.items() if value[1] is not None}
    return json.dumps({"recordType": kind, "recordName": record_name, "fields": values}) + "\n"


def metadata_name(feed):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "celestra:metadata/" + feed))


def state(feed, status, days, number):
    checks = [day for day in days if day]
    packed = [(NOW // DAY - 29 + index) << 32 | day[0] << 16 | day[1] for index, day in enumerate(days) if day]
    failed = status != "healthy"
    return record(
        "FeedMetadata", metadata_name(feed), healthStatus=("STRING", status),
        feedReference=("REFERENCE", {"recordName": feed, "action": "NONE"}),
        statusSince=("TIMESTAMP", NOW - number.randrange(1, 40) * DAY), lastHealthCheck=("TIMESTAMP", NOW - 3_600_000),
        lastFetchSuccess=("TIMESTAMP", None if failed else NOW - 3_600_000),
        lastFetchFailure=("TIMESTAMP", NOW - 3_600_000 if failed else None),
        lastFailureReason=("STRING", f"{REASONS[0 if status == 'down' else 1 + number.randrange(2)]}, since 2026-02-27T12:00:00Z" if failed else None),
        dailyChecks=("INT64_LIST", packed), totalAttempts=("INT64", sum(map(sum, checks))),
        successfulAttempts=("INT64", sum(good for good, _ in checks)), newestItem=("TIMESTAMP", NOW - number.randrange(90) * DAY),
        validity=("DOUBLE", 1.0), completeness=("DOUBLE", number.random()), fullContent=("DOUBLE", number.random()),
        transportQuality=("DOUBLE", 0.75))


def history(status, number):
    if status == "healthy":
        return [(4, 1) if number.random() < 0.02 else (4, 0) for _ in range(30)]
    if status == "degraded":
        return [None if number.random() < 0.2 else (2, 2) if number.random() < 0.4 else (4, 0) for _ in range(30)]
    return [(4, 0)] * 20 + [(1, 3)] * 3 + [(0, 4)] * 7


def feed(index, title, url, status, number):
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"feed {index}"))
    readers = int(10 ** (number.random() * 4)) - 1
    lines = record(
        "PublicFeed", name, title=("STRING", title), feedURL=("STRING", url), subscriberCount=("INT64", readers),
        slug=("STRING", f"feed-{index}"), addedAt=("TIMESTAMP", NOW - index * DAY), siteURL=("STRING", "https://site.example/"),
        qualityScore=("DOUBLE", round(number.random() * 60 + 40, 1)),
        category=("REFERENCE", {"recordName": ["science", "culture", "technology"][index % 3], "action": "NONE"}))
    return lines if status == "new" else lines + state(name, status, history(status, number), number)


def records(count, hostile=False):
    """The lines of a catalog with `count` feeds, or with hostile ones."""
    number = random.Random(count)
    for name in ("science", "culture", "technology"):
        yield record("FeedCategory", name, slug=("STRING", name), name=("STRING", name.title()))
    if hostile:
        for index, (title, url) in enumerate(HOSTILE):
            yield feed(index, title, url, ["down", "degraded", "healthy", "new"][index % 4], number)
        return
    for index in range(count):
        title = f"{number.choice(WORDS)} {number.choice(WORDS)} {index}"
        chance = number.random()
        status = "healthy" if count == 1 or chance > 0.06 else "down" if chance < 0.02 else "degraded" if chance < 0.045 else "new"
        yield feed(index, title, f"https://site-{index}.example/feeds/all.xml", status, number)
