"""The console's tables of records: what a reader sees first, times, record names and the choice of columns."""

import uuid

from catalog import CLOCK

WHERE = "console-records"
FIRST = str(uuid.uuid5(uuid.NAMESPACE_URL, "feed 0"))


def check(browser, console):
    address = console + "records/PublicFeed?sort=addedAt:desc"
    check_wide(browser, console, address)
    check_narrow(browser, console, address)
    check_times(browser, console, address)
    check_copy(browser, console, address)
    check_choice(browser, console, address)
    check_filter(browser, console)
    for kind in ("FeedCategory", "FeedMetadata"):
        browser.check_views(f"{WHERE}-{kind}", f"{console}records/{kind}", entry=console)
    browser.check_views("console-record", f"{console}record/{FIRST}", entry=console)


def headers(page):
    return page.locator("table.records thead th").all_inner_texts()


def check_wide(browser, console, address):
    page = browser.open(WHERE, address, entry=console)
    browser.failures.check(headers(page)[0] == "title", WHERE, f"begins with the columns {headers(page)}")
    room = page.locator(".wide").evaluate("region => region.scrollWidth - region.clientWidth")
    browser.failures.check(room <= 0, WHERE, f"hides {room} pixels of its table at {page.viewport_size['width']}")
    top = page.locator("tbody tr").first.bounding_box()["y"]
    browser.failures.check(top < 260, WHERE, f"has its first record {top} pixels below the top")
    name = page.locator("tbody tr .id[data-copied]").first
    browser.failures.check(name.get_attribute("title") == FIRST, WHERE, "does not show the whole record name on hover")
    box = name.bounding_box()
    browser.failures.check(box["width"] < 130 and box["height"] < 32, WHERE, f"has a record name of {box}")
    page.context.close()


def check_narrow(browser, console, address):
    for width in (390, 320):
        page = browser.open(WHERE, address, width=width, entry=console)
        where = f"{WHERE} {width}"
        cells = page.locator("tbody tr").first.locator("th, td")
        for index in (0, 1):
            box = cells.nth(index).bounding_box()
            fits = box["x"] >= 0 and box["x"] + box["width"] <= width
            browser.failures.check(fits, where, f"column {index + 1} ends at {box['x'] + box['width']}")
        # Readable: words are not broken into letters.
        browser.failures.check(cells.nth(0).bounding_box()["width"] >= 90, where, "has a first column that is too narrow")
        page.locator(".wide").evaluate("region => region.scrollLeft = 10_000")
        box = cells.nth(0).bounding_box()
        browser.failures.check(0 <= box["x"] < 40, where, "loses the title when it is scrolled")
        page.get_by_text("Columns (").click()
        browser.check_axe(page, where)
        browser.take(page, f"{WHERE}-light-{width}-scrolled")
        page.context.close()


def check_times(browser, console, address):
    page = browser.open(WHERE, address, entry=console, timezone_id="Asia/Tokyo", locale="en-US")
    time = page.locator("tbody time").first
    # The space before PM differs between versions of the browser.
    text = " ".join(time.inner_text().split())
    browser.failures.check(text == "Mar 2, 2026, 9:00:00 PM", WHERE, f"shows {text} to a reader in Tokyo")
    browser.failures.check(time.get_attribute("title") == CLOCK, WHERE, "does not show the exact time on hover")
    browser.failures.check("Asia/Tokyo" in page.inner_text("main"), WHERE, "does not name the time zone")
    page.context.close()
    page = browser.open(WHERE, address, script=False, entry=console, timezone_id="Asia/Tokyo")
    text = page.locator("tbody time").first.inner_text()
    browser.failures.check(text == "2026-03-02 12:00:00 UTC", WHERE, f"shows {text} without script")
    browser.failures.check(page.locator(".copy").count() == 0, WHERE, "has a button that needs a script")
    page.context.close()


def check_copy(browser, console, address):
    page = browser.open(WHERE, address, entry=console)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    row = page.locator("tbody tr").first
    row.hover()
    row.get_by_role("button", name=f"Copy the record name {FIRST}").click()
    row.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    browser.failures.check(copied == FIRST, WHERE, f"copies {copied!r}")
    selected = page.evaluate("""() => {
        getSelection().selectAllChildren(document.querySelector("tbody .id[data-copied]"));
        return getSelection().toString();
    }""")
    browser.failures.check(selected == FIRST, WHERE, f"selects {selected!r}")
    browser.check_axe(page, f"{WHERE} copied")
    page.context.close()


def check_choice(browser, console, address):
    page = browser.open(WHERE, address, script=False, entry=console)
    page.get_by_text("Columns (").click()
    page.get_by_role("checkbox", name="siteURL").check()
    page.get_by_role("checkbox", name="category").uncheck()
    page.get_by_role("button", name="Show").click()
    chosen = headers(page)
    browser.failures.check("siteURL" in chosen and "category" not in chosen, WHERE, f"shows the columns {chosen}")
    browser.failures.check(chosen[0] == "title", WHERE, f"begins with the columns {chosen}")
    page.get_by_role("link", name="Next page").click()
    browser.failures.check(headers(page) == chosen, WHERE, f"has the columns {headers(page)} on the next page")
    page.context.close()


def check_filter(browser, console):
    """Filters by a form and by a click on a value, and sorts by a click on a head, without script."""
    page = browser.open(WHERE, console + "records/PublicFeed", script=False, entry=console)
    check = lambda holds, words: browser.failures.check(holds, WHERE, words)
    page.get_by_text("Filter", exact=True).click()
    page.locator(".facets").get_by_role("link", name="Science").click()
    check(page.locator("a.chip").inner_text() == "category == science ×", "does not filter by a value that is clicked")
    check(page.locator(".bar span").inner_text() == "34 records", "does not count what it shows")
    page.get_by_text("Filter", exact=True).click()
    page.locator("select[name=field]").select_option("slug")
    page.locator("select[name=op]").select_option("BEGINS_WITH")
    page.locator("input[name=value]").fill("feed-1")
    page.get_by_role("button", name="Add filter").click()
    check(page.locator("a.chip").count() == 2, "does not add a filter of the form")
    page.get_by_role("link", name="subscriberCount").click()
    page.get_by_role("link", name="subscriberCount").click()
    heads = headers(page)
    column = [head.split("\n")[0].strip() for head in heads].index("subscriberCount") + 1
    cells = [int(text) for text in page.locator(f"tbody tr > :nth-child({column})").all_inner_texts()]
    check(len(cells) > 1 and cells == sorted(cells, reverse=True), f"sorts descending as {cells}")
    page.locator("a.chip").first.click()
    check(page.locator("a.chip").count() == 1, "does not remove a filter that is clicked")
    page.context.close()
