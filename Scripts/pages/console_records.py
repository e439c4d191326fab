"""The console's tables of records: what a reader sees first, times and record names."""

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
    for kind in ("FeedCategory", "FeedMetadata"):
        browser.check_views(f"{WHERE}-{kind}", f"{console}records/{kind}", entry=console)
    browser.check_views("console-record", f"{console}record/{FIRST}", entry=console)


def headers(page):
    return page.locator("table.records thead th").all_inner_texts()


def check_wide(browser, console, address):
    with browser.page(WHERE, address, entry=console) as (page, check):
        check(headers(page)[0] == "title", f"begins with the columns {headers(page)}")
        room = page.locator(".wide").evaluate("region => region.scrollWidth - region.clientWidth")
        check(room <= 0, f"hides {room} pixels of its table at {page.viewport_size['width']}")
        top = page.locator("tbody tr").first.bounding_box()["y"]
        check(top < 260, f"has its first record {top} pixels below the top")
        name = page.locator("tbody tr .id[data-copied]").first
        check(name.get_attribute("title") == FIRST, "does not show the whole record name on hover")
        box = name.bounding_box()
        check(box["width"] < 130 and box["height"] < 32, f"has a record name of {box}")


def check_narrow(browser, console, address):
    for width in (390, 320):
        with browser.page(WHERE, address, width=width, entry=console) as (page, check):
            where = f"{WHERE} {width}"
            cells = page.locator("tbody tr").first.locator("th, td")
            for index in (0, 1):
                box = cells.nth(index).bounding_box()
                fits = box["x"] >= 0 and box["x"] + box["width"] <= width
                check(fits, f"column {index + 1} ends at {box['x'] + box['width']}")
            # Readable: words are not broken into letters.
            check(cells.nth(0).bounding_box()["width"] >= 90, "has a first column that is too narrow")
            page.locator(".wide").evaluate("region => region.scrollLeft = 10_000")
            box = cells.nth(0).bounding_box()
            check(0 <= box["x"] < 40, "loses the title when it is scrolled")
            page.get_by_text("Columns (").click()
            browser.check_axe(page, where)
            browser.take(page, f"{WHERE}-light-{width}-scrolled")


def check_times(browser, console, address):
    with browser.page(WHERE, address, entry=console, timezone_id="Asia/Tokyo", locale="en-US") as (page, check):
        time = page.locator("tbody time").first
        # The space before PM differs between versions of the browser.
        text = " ".join(time.inner_text().split())
        check(text == "Mar 2, 2026, 9:00:00 PM", f"shows {text} to a reader in Tokyo")
        check(time.get_attribute("title") == CLOCK, "does not show the exact time on hover")
        check("Asia/Tokyo" in page.inner_text("main"), "does not name the time zone")
    with browser.page(WHERE, address, script=False, entry=console, timezone_id="Asia/Tokyo") as (page, check):
        text = page.locator("tbody time").first.inner_text()
        check(text == "2026-03-02 12:00:00 UTC", f"shows {text} without script")
        check(page.locator(".copy").count() == 0, "has a button that needs a script")


def check_copy(browser, console, address):
    with browser.page(WHERE, address, entry=console) as (page, check):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        row = page.locator("tbody tr").first
        row.hover()
        row.get_by_role("button", name=f"Copy the record name {FIRST}").click()
        row.get_by_role("button", name="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        check(copied == FIRST, f"copies {copied!r}")
        selected = page.evaluate("""() => {
            getSelection().selectAllChildren(document.querySelector("tbody .id[data-copied]"));
            return getSelection().toString();
        }""")
        check(selected == FIRST, f"selects {selected!r}")
        browser.check_axe(page, f"{WHERE} copied")
