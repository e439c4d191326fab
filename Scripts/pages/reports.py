"""The report and the status page, as people open them."""

import json
import os
import re
from pathlib import Path

from playwright.sync_api import expect

from browser import overflow


def check(tool, browser):
    specs = {count: tool.container(f"c{count}", count) for count in (0, 1, 100, 1_000)}
    pages = {count: tool.report(spec, f"report-{count}") for count, spec in specs.items()}
    for count, path in pages.items():
        # The JSON of the largest is left out, because it takes long to make.
        is_small = count <= 100
        words = ("status", "--container", specs[count], "--format", "json")
        first = json.loads(tool.run(*words))["result"]["verdict"] if is_small else None
        browser.check_views(f"report-{count}", f"file://{path}", first, has_axe=is_small)
    check_large(browser, pages[1_000])
    check_work(browser, pages[100])
    check_table(browser, pages[100])
    check_policies(browser, pages[100])
    check_without_script(browser, pages[100])
    check_media(browser, pages[100])
    check_since(tool, browser, specs, pages)
    check_hostile(tool, browser)


def check_large(browser, path):
    with browser.page("report-1000", f"file://{path}") as (page, check):
        rows = page.locator("table.feeds tbody tr").count()
        check(rows == 1_000, f"has {rows} rows")
        page.get_by_role("button", name="Readers").click()
        page.locator("th[aria-sort]").wait_for()


def check_table(browser, path):
    """One line a feed, its cells exactly under their heads, which stay while one scrolls."""
    for width in (1280, 1920):
        with browser.page("report-100", f"file://{path}", width=width) as (page, check):
            measured = page.evaluate("""() => {
                const table = document.querySelector("table.feeds");
                const edges = (row) => [...row.cells].map((cell) => {
                    const box = cell.getBoundingClientRect();
                    return getComputedStyle(cell).textAlign === "right" ? box.right : box.left;
                });
                const heads = edges(table.tHead.rows[0]);
                const rows = [...table.tBodies[0].rows];
                rows.forEach((row) => { row.style.contentVisibility = "visible"; });
                return {
                    apart: Math.max(...rows.flatMap((row) => edges(row).map((edge, index) => Math.abs(edge - heads[index])))),
                    height: Math.max(...rows.map((row) => row.getBoundingClientRect().height)),
                    days: rows[0].querySelectorAll("svg title").length,
                };
            }""")
            check(measured["apart"] < 1, f"has cells {measured['apart']} pixels beside their heads")
            check(measured["height"] < 36, f"has rows of {measured['height']} pixels")
            check(measured["days"] > 0, "has a strip without titles of its days")
            page.locator("table.feeds tbody tr").nth(70).scroll_into_view_if_needed()
            top = page.locator("table.feeds thead").bounding_box()["y"]
            check(0 <= top < 5, f"has its heads at {top} when it is scrolled")
    for width in (961, 1100, 1200):
        with browser.page("report-100", f"file://{path}", width=width) as (page, check):
            title = page.locator("table.feeds tbody th").first.bounding_box()["width"]
            check(title >= 200, f"has {title} pixels for a feed's title")


def check_work(browser, path):
    """Sorting by keyboard, filtering, the state in the address, one feed by its address."""
    with browser.page("report-100", f"file://{path}") as (page, check):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "text":
                break
        check(page.evaluate("document.activeElement.id") == "text", "Tab does not reach the filter")
        page.keyboard.type("winter")
        page.locator("#shown", has_text=" of 100 rows").wait_for()
        shown = page.locator("table.feeds tbody tr:visible").all_text_contents()
        check(shown and all("winter" in row.lower() for row in shown), "the filter shows other feeds")
        check("text=winter" in page.url, "the address does not keep the filter")
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")
        page.locator("#shown", has_text=re.compile("^100 feeds$")).wait_for()
        page.keyboard.press("Tab")
        for _ in range(6):
            page.keyboard.press("Tab")
        check(page.evaluate("document.activeElement.textContent") == "Readers", "Tab does not walk the headers in order")
        for order, wanted in (("descending", True), ("ascending", False)):
            page.keyboard.press("Enter")
            header = page.locator("th[aria-sort]")
            check(header.count() == 1 and header.get_attribute("aria-sort") == order, f"the header is not {order}")
            cells = [int(text.replace(",", "")) for text in page.locator("table.feeds tbody td:nth-child(7)").all_text_contents()]
            check(cells == sorted(cells, reverse=wanted), f"the readers are not {order}")
        address = page.url
    with browser.page("report-100", address) as (again, _):
        check(again.locator("th[aria-sort=ascending]").count() == 1, "the address does not bring the order back")
        name = again.locator("table.feeds tbody tr").nth(40).get_attribute("id")
    with browser.page("report-100", f"file://{path}#{name}") as (one, _):
        try:
            expect(one.locator(f"[id='{name}']")).to_be_in_viewport(timeout=300_000)
        except AssertionError:
            check(False, "an address with a feed does not lead to its row")


def check_policies(browser, path):
    """As Jenkins and others serve files of a workspace: their policies drop the style and the script."""
    for policy in ("sandbox; default-src 'none'; img-src 'self'; style-src 'self'", "default-src 'none'"):
        # The browser notes what it drops, which is meant here.
        with browser.page(f"report-100 under {policy}", "about:blank", has_errors=True) as (page, check):
            page.route("http://ci.example/", lambda route: route.fulfill(
                path=path, headers={"Content-Type": "text/html", "Content-Security-Policy": policy}))
            page.goto("http://ci.example/")
            rows = page.locator("table.feeds tbody tr")
            check(rows.count() == 100 and rows.first.is_visible(), "lacks rows")
            check(not page.locator("form.filter").is_visible(), "shows a filter that cannot work")
            color = page.locator("table.feeds svg path").first.evaluate("path => getComputedStyle(path).stroke")
            check(color not in ("none", "rgb(0, 0, 0)"), f"has strips of the color {color}")


def check_without_script(browser, path):
    with browser.page("report-100 without script", f"file://{path}", script=False) as (page, check):
        rows = page.locator("table.feeds tbody tr")
        check(rows.count() == 100, "lacks rows")
        words = page.locator("table.feeds tbody td:nth-child(3)").all_text_contents()
        states = [re.sub(r" [0-9]+ (d|h|min)$", "", text.strip()) for text in words]
        order = ["down", "degraded", "not checked", "healthy"]
        ranks = [order.index(state) for state in states]
        check(ranks == sorted(ranks), "is not in the order of its states")
        check(not page.locator("form.filter").is_visible(), "shows a filter")


def check_media(browser, path):
    with browser.page("report-100 forced colors", f"file://{path}", forced_colors="active", reduced_motion="reduce") as (page, _):
        browser.check_axe(page, "report-100 forced colors")
        browser.take(page, "report-100-forced-colors")
    with browser.page("report-100 print", f"file://{path}", "dark") as (page, check):
        page.emulate_media(media="print")
        check(not page.locator("form.filter").is_visible(), "prints the filter")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        check(ground == "rgb(255, 255, 255)", f"prints on {ground}")
        browser.take(page, "report-100-print")
    with browser.page("report-100 zoom", f"file://{path}", width=720, device_scale_factor=2) as (page, check):
        check(overflow(page) <= 0, f"is {overflow(page)} pixels too wide")


def check_since(tool, browser, specs, pages):
    path = tool.report(specs[100], "report-since", "--since", pages[1])
    browser.check_views("report-since", f"file://{path}")
    with browser.page("report-since", f"file://{path}") as (page, check):
        check(page.locator("h2").first.inner_text().startswith("Since 2026-03-02"), "does not say since when")
        page.get_by_role("button", name="Change").click()


def check_hostile(tool, browser):
    spec = tool.container("hostile", 0, hostile=True)
    report = tool.report(spec, "report-hostile")
    browser.check_views("report-hostile", f"file://{report}")
    status = os.path.join(tool.folder, "status-hostile.html")
    tool.run("status", "--container", spec, "--output", status)
    browser.check_views("status-hostile", f"file://{status}")
    scripts = Path(report).read_text("utf-8").count("<script")
    browser.failures.check(scripts == 2, "report-hostile", "has other scripts than its own")
