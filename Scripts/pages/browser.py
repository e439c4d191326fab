"""A page in Chromium, and what must hold for each one."""

import contextlib
import os

from axe_playwright_python.sync_playwright import Axe

VIEWS = [("light", 1280), ("dark", 1920), ("light", 768), ("dark", 390), ("light", 320)]


class Failures(list):
    def check(self, holds, page, words):
        if not holds:
            self.append(f"{page}: {words}")
            print(f"FAILED {page}: {words}", flush=True)


class Browser:
    def __init__(self, chromium, failures, pictures):
        self.chromium = chromium
        self.failures = failures
        self.pictures = pictures

    def open(self, name, address, scheme="light", width=1440, script=True, entry=None, **options):
        """A page whose console errors and violations of its policy count as failures. `entry` is an address to open
        before, which gives the browser its cookie."""
        context = self.chromium.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, java_script_enabled=script, **options)
        page = context.new_page()
        where = f"{name} {scheme} {width}"
        page.on("console", lambda message: self.failures.check(message.type not in ("error", "warning"), where, message.text))
        page.on("pageerror", lambda error: self.failures.check(False, where, str(error)))
        page.on("dialog", lambda dialog: self.failures.check(False, where, f"a dialog: {dialog.message}"))
        if entry:
            page.goto(entry)
        page.goto(address)
        return page

    @contextlib.contextmanager
    def page(self, name, address, scheme="light", width=1440, **options):
        """A page of `open`, which is closed in the end, and what checks it."""
        page = self.open(name, address, scheme, width, **options)
        yield page, lambda holds, words: self.failures.check(holds, f"{name} {scheme} {width}", words)
        page.context.close()

    def check_views(self, name, address, verdict=None, has_axe=True, entry=None):
        """In light and dark, on a wide and on a narrow screen."""
        for scheme, width in VIEWS:
            page = self.open(name, address, scheme, width, entry=entry)
            where = f"{name} {scheme} {width}"
            overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.failures.check(overflow <= 0, where, f"is {overflow} pixels too wide")
            if verdict is not None:
                first = page.evaluate("document.body.innerText.trim().split('\\n')[0]")
                self.failures.check(first == verdict, where, f"begins with {first!r}, not {verdict!r}")
            # It judges colors and sizes: each scheme once, on a wide and on a narrow screen.
            if has_axe and (scheme, width) in VIEWS[::3]:
                self.check_axe(page, where)
            self.take(page, f"{name}-{scheme}-{width}")
            page.context.close()

    def check_axe(self, page, where):
        for violation in Axe().run(page).response["violations"]:
            nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            self.failures.check(False, where, f"axe: {violation['id']}: {violation['help']}: {nodes}")

    def take(self, page, name):
        if self.pictures:
            page.screenshot(path=os.path.join(self.pictures, f"{name}.png"))
