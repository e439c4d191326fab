"""A page in Chromium, and what must hold for each one."""

import contextlib
import os

from axe_playwright_python.sync_playwright import Axe

VIEWS = [("light", 1280), ("dark", 1920), ("light", 768), ("dark", 390), ("light", 320)]


def overflow(page):
    """How many pixels a page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


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

    @contextlib.contextmanager
    def page(self, name, address, scheme="light", width=1440, script=True, entry=None, has_errors=False, **options):
        """A page, and what checks it. Its console errors and violations of its policy count as failures, unless they are
        meant: `has_errors`. `entry` is an address to open before, which gives the browser its cookie."""
        context = self.chromium.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, java_script_enabled=script, **options)
        # Tests may run beside.
        context.set_default_timeout(300_000)
        page = context.new_page()
        check = lambda holds, words: self.failures.check(holds, f"{name} {scheme} {width}", words)
        page.on("console", lambda message: check(has_errors or message.type not in ("error", "warning"), message.text))
        page.on("pageerror", lambda error: check(False, str(error)))
        page.on("dialog", lambda dialog: check(False, f"a dialog: {dialog.message}"))
        if entry:
            page.goto(entry)
        page.goto(address)
        yield page, check
        context.close()

    def check_views(self, name, address, verdict=None, has_axe=True, entry=None):
        """In light and dark, on a wide and on a narrow screen."""
        with self.page(name, address, entry=entry) as (page, check):
            if verdict is not None:
                first = page.evaluate("document.body.innerText.trim().split('\\n')[0]")
                check(first == verdict, f"begins with {first!r}, not {verdict!r}")
            for scheme, width in VIEWS:
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size({"width": width, "height": 900})
                where = f"{name} {scheme} {width}"
                self.failures.check(overflow(page) <= 0, where, f"is {overflow(page)} pixels too wide")
                # It judges colors and sizes: each scheme once, on a wide and on a narrow screen.
                if has_axe and (scheme, width) in VIEWS[::3]:
                    self.check_axe(page, where)
                self.take(page, f"{name}-{scheme}-{width}")

    def check_axe(self, page, where):
        # The nodes that pass a rule are most of its work, and are not looked at.
        for violation in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
            nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            self.failures.check(False, where, f"axe: {violation['id']}: {violation['help']}: {nodes}")

    def take(self, page, name):
        if self.pictures:
            page.screenshot(path=os.path.join(self.pictures, f"{name}.png"))
