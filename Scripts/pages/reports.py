"""The report and the status page, in the places where people open them."""

import http.server
import os
import re
import threading
import time

from playwright.sync_api import expect

from tool import verdict

# What Jenkins sends with files of a workspace.
JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves the folder with the policy that its first path component names."""

    policies = {"jenkins": JENKINS, "none": "default-src 'none'"}

    def translate_path(self, path):
        return super().translate_path("/" + path.split("/", 2)[2])

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.policies[self.path.split("/")[1]])
        super().end_headers()

    def log_message(self, *_):
        pass


def check(tool, browser):
    specs = {count: tool.container(f"c{count}", count) for count in (0, 1, 100, 10_000)}
    pages = {count: tool.report(spec, f"report-{count}") for count, spec in specs.items()}
    for count, path in pages.items():
        # The JSON of the largest is left out, because it takes long to make.
        is_small = count <= 100
        first = verdict(tool.run("status", "--container", specs[count], "--format", "json")) if is_small else None
        browser.check_views(f"report-{count}", f"file://{path}", first, has_axe=is_small, is_long=not is_small)
    check_size(browser, pages[10_000])
    check_work(browser, pages[100])
    check_causes(browser, pages[100])
    check_table(browser, pages[100])
    check_policies(tool, browser, pages[100])
    check_without_script(browser, pages[100])
    check_media(browser, pages[100])
    check_since(tool, browser, specs, pages)
    check_hostile(tool, browser)


def check_size(browser, path):
    size = os.path.getsize(path)
    browser.failures.check(size <= 4_000_000, "report-10000", f"has {size} bytes")
    work, times = [], []
    for _ in range(3):
        start = time.monotonic()
        page, seconds = browser.open_measured(f"file://{path}")
        times.append(time.monotonic() - start)
        work.append(seconds)
        rows = page.locator("table.feeds tbody tr").count()
        start = time.monotonic()
        page.get_by_role("button", name="Readers").click()
        page.locator("th[aria-sort]").wait_for()
        sort = time.monotonic() - start
        page.context.close()
    browser.failures.check(rows == 10_000, "report-10000", f"has {rows} rows")
    # The browser's own time: how long a reader waits also depends on what else this machine does.
    browser.failures.check(min(work) <= 1.5, "report-10000", f"loads in {min(work):.2f} s of work at best")
    print(f"report-10000: {size} bytes, loaded in {min(times):.2f} s ({min(work):.2f} s of work), sorted in {sort:.2f} s", flush=True)


def check_causes(browser, path):
    """Each code leads to what it means."""
    page = browser.open("report-100", f"file://{path}")
    codes = page.locator("section.cause h3 a")
    browser.failures.check(codes.count() > 0, "report-100", "has no causes")
    codes.first.click()
    meaning = page.locator("dt:target + dd")
    browser.failures.check(meaning.count() == 1 and meaning.is_visible(), "report-100", "has a code that leads to no meaning")
    page.context.close()


def check_table(browser, path):
    """One line a feed, its cells exactly under their heads, which stay while one scrolls."""
    for width in (1280, 1920):
        page = browser.open("report-100", f"file://{path}", width=width)
        check = lambda holds, words: browser.failures.check(holds, f"report-100 {width}", words)
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
        page.context.close()


def check_work(browser, path):
    """Sorting by keyboard, filtering, the state in the address, one feed by its address."""
    page = browser.open("report-100", f"file://{path}")
    check = lambda holds, words: browser.failures.check(holds, "report-100", words)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "text":
            break
    check(page.evaluate("document.activeElement.id") == "text", "Tab does not reach the filter")
    page.keyboard.type("winter")
    page.locator("#shown", has_text=" of 100 feeds").wait_for()
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
    page.context.close()
    again = browser.open("report-100", address)
    check(again.locator("th[aria-sort=ascending]").count() == 1, "the address does not bring the order back")
    name = again.locator("table.feeds tbody tr").nth(40).get_attribute("id")
    again.context.close()
    one = browser.open("report-100", f"file://{path}#{name}")
    try:
        expect(one.locator(f"[id='{name}']")).to_be_in_viewport()
    except AssertionError:
        check(False, "an address with a feed does not lead to its row")
    one.context.close()


def check_policies(tool, browser, path):
    handler = lambda *arguments: Server(*arguments, directory=tool.folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for policy in Server.policies:
            where = f"report-100 under {policy}"
            address = f"http://127.0.0.1:{server.server_port}/{policy}/{os.path.basename(path)}"
            # The browser says that it drops the style and the script, which is what is meant here.
            context = browser.chromium.new_context(viewport={"width": 1440, "height": 900}, java_script_enabled=True)
            page = context.new_page()
            page.goto(address)
            first = page.locator("h1").inner_text()
            browser.failures.check(first.startswith("Of 100 feeds"), where, f"begins with {first!r}")
            rows = page.locator("table.feeds tbody tr")
            browser.failures.check(rows.count() == 100 and rows.first.is_visible(), where, "lacks rows")
            browser.failures.check(not page.locator("form.filter").is_visible(), where, "shows a filter that cannot work")
            color = page.locator("table.feeds svg path").first.evaluate("path => getComputedStyle(path).stroke")
            browser.failures.check(color not in ("none", "rgb(0, 0, 0)"), where, f"has strips of the color {color}")
            browser.take(page, f"report-100-{policy}")
            context.close()
        server.shutdown()


def check_without_script(browser, path):
    page = browser.open("report-100 without script", f"file://{path}", script=False)
    rows = page.locator("table.feeds tbody tr")
    browser.failures.check(rows.count() == 100, "report-100 without script", "lacks rows")
    words = page.locator("table.feeds tbody td:nth-child(3)").all_text_contents()
    states = [re.sub(r" [0-9]+ (d|h|min)$", "", text.strip()) for text in words]
    order = ["down", "degraded", "not checked", "healthy"]
    ranks = [order.index(state) for state in states]
    browser.failures.check(ranks == sorted(ranks), "report-100 without script", "is not in the order of its states")
    browser.failures.check(not page.locator("form.filter").is_visible(), "report-100 without script", "shows a filter")
    page.context.close()


def check_media(browser, path):
    page = browser.open("report-100 forced colors", f"file://{path}", forced_colors="active", reduced_motion="reduce")
    browser.check_axe(page, "report-100 forced colors")
    browser.take(page, "report-100-forced-colors")
    page.context.close()
    page = browser.open("report-100 print", f"file://{path}", "dark")
    page.emulate_media(media="print")
    browser.failures.check(not page.locator("form.filter").is_visible(), "report-100 print", "prints the filter")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    browser.failures.check(ground == "rgb(255, 255, 255)", "report-100 print", f"prints on {ground}")
    browser.take(page, "report-100-print")
    page.context.close()
    page = browser.open("report-100 zoom", f"file://{path}", width=720, device_scale_factor=2)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    browser.failures.check(overflow <= 0, "report-100 at 200 %", f"is {overflow} pixels too wide")
    page.context.close()


def check_since(tool, browser, specs, pages):
    path = tool.report(specs[100], "report-since", "--since", pages[1])
    browser.check_views("report-since", f"file://{path}")
    page = browser.open("report-since", f"file://{path}")
    browser.failures.check(page.locator("h2").first.inner_text().startswith("Since 2026-03-02"), "report-since", "does not say since when")
    page.get_by_role("button", name="Change").click()
    page.context.close()


def check_hostile(tool, browser):
    spec = tool.container("hostile", 0, hostile=True)
    browser.check_views("report-hostile", f"file://{tool.report(spec, 'report-hostile')}")
    status = os.path.join(tool.folder, "status-hostile.html")
    tool.run("status", "--container", spec, "--output", status)
    browser.check_views("status-hostile", f"file://{status}")
    with open(os.path.join(tool.folder, "report-hostile.html"), encoding="utf-8") as file:
        text = file.read()
    browser.failures.check(text.count("<script") == 2, "report-hostile", "has other scripts than its own")
