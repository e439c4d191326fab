"""The console: its pages, its forms, and what pages of other origins can do to it."""

import http.server
import threading
import urllib.error
import urllib.parse
import urllib.request

import console_records


def check(tool, browser):
    words = ["emulator", "serve", "--schema", "schema/celestra.ckdb", "--container-file", "hostile.sqlite", "--console"]
    with tool.serving(*words) as addresses:
        console = addresses["console"]
        emulator = next(address for what, address in addresses.items() if what != "console")
        check_pages(browser, console, emulator)
        check_faults(browser, console)
        check_other_origins(browser, console)
        # The port is taken.
        tool.run("console", "--container", "local:c1.sqlite", "--port", str(urllib.parse.urlsplit(console).port), status=1)
    with tool.serving("console", "--container", "local:c100.sqlite", "--read-only") as addresses:
        with browser.page("console read-only", addresses["console"]) as (page, check):
            check("read-only" in page.inner_text("header"), "does not say so")
            check(page.get_by_role("link", name="Snapshots").count() == 0, "has forms")
            page.get_by_role("link", name="PublicFeed").click()
            check(page.locator("tbody tr").count() == 50, "lacks records")
            page.get_by_role("link", name="Next page").click()
            check(page.locator("tbody tr").count() == 50, "lacks the second page")
        console_records.check(browser, addresses["console"])


def check_pages(browser, console, emulator):
    # Refused, because nobody signed it.
    for path in ("/database/1/iCloud.demo.celestra/development/public/records/query", "/<script>alert(1)</script>"):
        try:
            urllib.request.urlopen(urllib.request.Request(emulator + urllib.request.quote(path, safe="/<>()"), b"{}"))
        except urllib.error.HTTPError:
            pass
    names = ["", "records/PublicFeed", "records/PublicFeed?filter=subtitle+%3D%3D+x", "records/PublicFed", "schema",
             "requests", "forms", "reset", "nowhere"]
    for name in names:
        label = "console-" + (name.split("?")[0].replace("/", "-") or "container") + ("-refused" if "?" in name else "")
        if name in ("records/PublicFed", "nowhere"):
            # The browser notes the status of such a page as an error.
            with browser.page(label, console + name, entry=console, has_errors=True) as (page, _):
                browser.check_axe(page, label)
        else:
            browser.check_views(label, console + name, entry=console)
    with browser.page("console", console + "requests", entry=console) as (page, check):
        check("neither a signature nor an API token" in page.inner_text("main"), "hides a cause")
        check_narrow_requests(browser, console)
        page.goto(console + "records/PublicFeed?filter=subtitle+%3D%3D+x")
        check("subtitle STRING QUERYABLE" in page.inner_text("main"), "names no line to add")
        page.goto(console)
        page.keyboard.press("Tab")
        check(page.evaluate("document.activeElement.textContent") == "Home", "Tab does not reach the pages")


def check_narrow_requests(browser, console):
    with browser.page("console-requests", console + "requests", width=390, entry=console) as (page, check):
        why = page.get_by_text("neither a signature nor an API token").first.bounding_box()
        check(why["x"] >= 0 and why["x"] + why["width"] <= 390, "shows the cause beside the screen")
        browser.check_axe(page, "console-requests 390")
        browser.take(page, "console-requests-light-390")


def check_faults(browser, console):
    with browser.page("console forms", console + "forms", script=False, entry=console) as (page, check):
        page.get_by_label("Rules, one a line").fill("status,status=503,endpoint=records/query,every=2\nhalf,count=1")
        page.get_by_role("button", name="Replace the faults").click()
        check("2 faults set" in page.inner_text("main"), "sets no faults")
        page.goto(console + "forms")
        check("status,status=503,endpoint=records/query,every=2" in page.inner_text("main"), "forgets the faults")


class Evil(http.server.BaseHTTPRequestHandler):
    """A page of another origin that sends the console's form and reads its pages."""

    console = ""

    def do_GET(self):
        body = f"""<!DOCTYPE html><form method="post" action="{self.console}reset"><input name="acceptRisk" value="data-loss">
            <input name="secret" value="guess"><button>Go</button></form><a href="{self.console}">link</a>
            <iframe src="{self.console}"></iframe>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def check_other_origins(browser, console):
    Evil.console = console
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser.page("console", f"http://localhost:{server.server_port}/", has_errors=True) as (page, check):
            read = page.evaluate("url => fetch(url).then(() => 'read', () => 'refused')", console)
            check(read == "refused", "lets a page of another origin read it")
            check(page.frames[1].url.startswith("chrome-error:"), "lets itself be framed")
            for role, name in (("button", "Go"), ("link", "link")):
                with page.expect_navigation() as navigation:
                    page.get_by_role(role, name=name).click()
                check(navigation.value.status == 403, f"answers a foreign {role} with {navigation.value.status}")
                page.go_back()
        server.shutdown()
    # Another browser, as another user of this machine has it.
    for address, status in [(console, 200), (console + "schema", 403), (console.rsplit("/", 2)[0] + "/", 403)]:
        with browser.page("console", "about:blank", has_errors=True) as (page, check):
            answer = page.goto(address)
            check(answer.status == status, f"answers a browser without cookie with {answer.status}")
            check((status == 200) == ("PublicFeed" in page.content()), "shows data without its path or cookie")
