"""The console: its pages, its forms, and what pages of other origins can do to it."""

import http.server
import os
import socket
import threading
import urllib.error
import urllib.request

import console_records


def check(tool, browser):
    words = ["emulator", "serve", "--schema", "schema/celestra.ckdb", "--container-file", "hostile.sqlite", "--console"]
    with tool.serving(*words) as addresses:
        console = addresses["console"]
        emulator = next(address for what, address in addresses.items() if what != "console")
        check_pages(browser, console, emulator)
        check_forms(tool, browser, console)
        check_other_origins(browser, console)
        check_requests(browser, console)
        port = str(parts(console)[0])
        # The port is taken.
        tool.run("console", "--container", "local:c1.sqlite", "--port", port, status=1)
    with tool.serving("console", "--container", "local:c100.sqlite", "--read-only") as addresses:
        page = browser.open("console read-only", addresses["console"])
        browser.failures.check("read-only" in page.inner_text("header"), "console read-only", "does not say so")
        browser.failures.check(page.get_by_role("link", name="Snapshots").count() == 0, "console read-only", "has forms")
        page.get_by_role("link", name="PublicFeed").click()
        browser.failures.check(page.locator("tbody tr").count() == 50, "console read-only", "lacks records")
        page.get_by_role("link", name="Next page").click()
        browser.failures.check(page.locator("tbody tr").count() == 50, "console read-only", "lacks the second page")
        page.context.close()
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
            page = browser.chromium.new_page()
            page.goto(console)
            page.goto(console + name)
            browser.check_axe(page, label)
            page.close()
        else:
            browser.check_views(label, console + name, entry=console)
    page = browser.open("console", console + "requests", entry=console)
    browser.failures.check("neither a signature nor an API token" in page.inner_text("main"), "console", "hides a cause")
    check_narrow_requests(browser, console)
    page.goto(console + "records/PublicFeed?filter=subtitle+%3D%3D+x")
    browser.failures.check("subtitle STRING QUERYABLE" in page.inner_text("main"), "console", "names no line to add")
    page.goto(console)
    page.keyboard.press("Tab")
    browser.failures.check(page.evaluate("document.activeElement.textContent") == "Home", "console", "Tab does not reach the pages")
    page.context.close()


def check_narrow_requests(browser, console):
    page = browser.open("console-requests", console + "requests", width=390, entry=console)
    why = page.get_by_text("neither a signature nor an API token").first.bounding_box()
    browser.failures.check(why["x"] >= 0 and why["x"] + why["width"] <= 390, "console-requests 390", "shows the cause beside the screen")
    browser.check_axe(page, "console-requests 390")
    browser.take(page, "console-requests-light-390")
    page.context.close()


def check_forms(tool, browser, console):
    page = browser.open("console forms", console + "forms", script=False, entry=console)
    page.get_by_label("Rules, one a line").fill("status,status=503,endpoint=records/query,every=2\nhalf,count=1")
    page.get_by_role("button", name="Replace the faults").click()
    browser.failures.check("2 faults set" in page.inner_text("main"), "console forms", "sets no faults")
    page.goto(console + "forms")
    browser.failures.check("status,status=503,endpoint=records/query,every=2" in page.inner_text("main"), "console forms", "forgets the faults")
    page.get_by_label("Name").fill("before")
    page.get_by_role("button", name="Save a snapshot").click()
    saved = os.path.join(tool.folder, ".celestra", "snapshots", "before.sqlite")
    browser.failures.check(os.path.exists(saved), "console forms", f"saved no {saved}")
    page.goto(console)
    page.get_by_role("link", name="Delete all records").click()
    page.get_by_label("Delete all records in development").check()
    page.get_by_role("button", name="Delete all records").click()
    browser.failures.check("records deleted" in page.inner_text("main"), "console forms", "deletes nothing")
    page.context.close()


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
        evil = f"http://localhost:{server.server_port}/"
        page = browser.chromium.new_page()
        page.goto(evil)
        read = page.evaluate("url => fetch(url).then(() => 'read', () => 'refused')", console)
        browser.failures.check(read == "refused", "console", "lets a page of another origin read it")
        browser.failures.check(page.frames[1].url.startswith("chrome-error:"), "console", "lets itself be framed")
        with page.expect_navigation() as navigation:
            page.get_by_role("button", name="Go").click()
        browser.failures.check(navigation.value.status == 403, "console", f"answers a foreign form with {navigation.value.status}")
        page.goto(evil)
        with page.expect_navigation() as navigation:
            page.get_by_role("link", name="link").click()
        browser.failures.check(navigation.value.status == 403, "console", "answers a foreign link")
        page.close()
        server.shutdown()
    # Another browser, as another user of this machine has it.
    for address, status in [(console, 200), (console + "schema", 403), (console.rsplit("/", 2)[0] + "/", 403)]:
        page = browser.chromium.new_page()
        answer = page.goto(address)
        browser.failures.check(answer.status == status, "console", f"answers a browser without cookie with {answer.status}")
        browser.failures.check((status == 200) == ("PublicFeed" in page.content()), "console", "shows data without its path or cookie")
        page.close()


def parts(console):
    """The port and the secret path of a console's address."""
    place, path = console.removeprefix("http://127.0.0.1:").split("/", 1)
    return int(place), "/" + path


def check_requests(browser, console):
    """What no browser sends: the bytes of a request, and the status of the answer."""
    port, root = parts(console)
    ours = f"127.0.0.1:{port}"
    with urllib.request.urlopen(console) as answer:
        cookie = "Cookie: " + answer.headers["Set-Cookie"].split(";")[0]
    browser.failures.check(cookie.startswith(f"Cookie: celestra-console-{port}="), "console", "names its cookie without its port")
    requests = [
        (200, f"GET {root} HTTP/1.1", [f"Host: {ours}"]), (200, f"GET {root} HTTP/1.1", [f"Host: LOCALHOST:{port}"]),
        (200, f"GET {root} HTTP/1.1", [f"Host: localhost.:{port}"]), (200, f"GET {root} HTTP/1.1", [f"Host: [::ffff:127.0.0.1]:{port}"]),
        (400, f"GET {root} HTTP/1.1", []), (400, f"GET {root} HTTP/1.1", [f"Host: {ours}", "Host: evil.com"]),
        (400, f"GET {root} HTTP/1.1", ["Host: evil.com", f"Host: {ours}"]),
        *((421, f"GET {root} HTTP/1.1", [f"Host: {host}"]) for host in [
            f"127.0.0.1.evil.com:{port}", f"127.evil.com:{port}", f"127.0.0.1.nip.io:{port}", f"127.:{port}",
            f"localhost.evil.com:{port}", f"evil.com:{port}", f"user@{ours}", f"0.0.0.0:{port}", "127.0.0.1", "127.0.0.1:1"]),
        # The host of such a target counts.
        (421, f"GET http://127.0.0.1{root} HTTP/1.1", [f"Host: {ours}"]), (421, f"GET http://evil.com{root} HTTP/1.1", [f"Host: {ours}"]),
        (403, f"GET http://{ours}/ HTTP/1.1", [f"Host: {ours}", cookie]),
        *((403, f"{method} {path} HTTP/1.1", [f"Host: {ours}", cookie])
          for method in ["GET", "HEAD", "POST", "OPTIONS"]
          for path in ["/", "/records/PublicFeed", "/forms", "/favicon.ico", root.upper(), "/" + root, "/" + root[1:].replace("/", "%2F"), root[:2] + "%" + f"{ord(root[2]):x}" + root[3:], "/x" + root]),
        (403, f"GET {root}schema HTTP/1.1", [f"Host: {ours}"]), (404, f"GET {root}nowhere HTTP/1.1", [f"Host: {ours}", cookie]),
        (404, f"GET {root}/schema HTTP/1.1", [f"Host: {ours}", cookie]),
        (403, f"GET {root} HTTP/1.1", [f"Host: {ours}", "Sec-Fetch-Site: same-site"]),
        (403, f"GET {root} HTTP/1.1", [f"Host: {ours}", "Origin: null"]),
        (405, f"OPTIONS {root} HTTP/1.1", [f"Host: {ours}", cookie]),
        (405, f"OPTIONS {root}reset HTTP/1.1", [f"Host: {ours}", cookie, f"Origin: http://{ours}", "Access-Control-Request-Method: POST"]),
        (415, f"POST {root}reset HTTP/1.1", [f"Host: {ours}", cookie, "Content-Type: text/plain", "Content-Length: 2"]),
        (403, f"POST {root}reset HTTP/1.1", [
            f"Host: {ours}", cookie, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 2"]),
        (413, f"POST {root}reset HTTP/1.1", [
            f"Host: {ours}", cookie, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 100000"]),
    ]
    for status, line, headers in requests:
        body = b"x" * (100_000 if status == 413 else 2 if line.startswith("POST") else 0)
        answer = exchange(port, "\r\n".join([line, *headers, "Connection: close", "", ""]).encode() + body)
        where = f"console: {line} {headers}"
        browser.failures.check(answer.startswith(f"HTTP/1.1 {status} "), where, f"answered {answer[:40]!r}, not {status}")
        browser.failures.check(status in (200, 404) or root not in answer and "PublicFeed" not in answer, where, "shows its path or data")
        browser.failures.check("access-control" not in answer.split("\r\n\r\n")[0].lower(), where, "allows other origins")


def exchange(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        parts = []
        try:
            while part := connection.recv(65_536):
                parts.append(part)
        except ConnectionResetError:
            pass  # The server closed before it read a body that is too large.
        return b"".join(parts).decode("utf-8", "replace")
