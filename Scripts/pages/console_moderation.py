"""The console's queue of reports: keys, undo, hostile texts, a narrow screen, and a browser without scripts."""

import re

from browser import overflow
from catalog import record

WHERE = "console-moderation"
NAME = "h<&>\"'"
HOSTILE = "</bdi><script>alert(1)</script><img src=x onerror=alert(2)>\" autofocus onfocus=alert(3) \u202eevil\u0301\u0301\u0301"


def check(tool, browser):
    spec = "local:moderation.sqlite"
    tool.run("container", "init", "--schema", "schema/live-sessions.ckdb", "--container", spec)
    tool.run("container", "fill", "--sessions", "24", "--users", "60", "--container", spec)
    text = ("STRING", HOSTILE)
    tool.import_records(spec, [
        record("ChatMessage", NAME, message=text, userName=text, sessionId=("STRING", "none"), isHidden=("INT64", 0)),
        record("AbuseReport", "hostile-report", target=("STRING", NAME), targetType=text, reason=text, note=text,
               isOpen=("INT64", 1))])
    with tool.serving("console", "--container", spec) as addresses:
        console = addresses["console"]
        browser.check_views(WHERE, console + "moderation", entry=console)
        check_keys(browser, console)
        check_narrow(browser, console)
        check_without_script(browser, console)
        check_hostile(browser, console)
    with tool.serving("console", "--container", spec, "--read-only") as addresses:
        console = addresses["console"]
        with browser.page(f"{WHERE} read-only", console + "moderation", entry=console) as (page, check):
            check(page.locator("nav li").count() > 3, "has no list")
            check(page.locator("form, button").count() == 0, "has forms")


def shown(page):
    """The address of the case that is open, and how many records wait."""
    waiting = re.search(r"(\d+) records? waits? for", page.inner_text("main"))
    return page.locator("nav li a[aria-current=true]").get_attribute("href"), int(waiting.group(1))


def press(page, key):
    with page.expect_navigation():
        page.keyboard.press(key)


def check_keys(browser, console):
    with browser.page(WHERE, console + "moderation", entry=console) as (page, check):
        check(re.search(r"_[0-9a-f]{32}", page.content()) is None, "shows an author")
        place = lambda part: page.locator(part).bounding_box()["y"]
        check(abs(place("section") - place("nav[aria-label=Waiting]")) < 100, "shows the record below the list, not beside it")
        check(page.locator("nav[aria-label=Pages] [aria-current=page]").inner_text() == "Reports", "does not mark the page in the navigation")
        first, count = shown(page)
        press(page, "j")
        second, _ = shown(page)
        check(second != first, "j stays where it is")
        press(page, "k")
        check(shown(page)[0] == first, "k does not go back")
        page.get_by_label("Why").fill("h")
        page.get_by_label("Why").press("h")
        check(shown(page) == (first, count), "takes a letter of a reason for a key")
        page.locator("h1").click()
        press(page, "h")
        check(shown(page) == (second, count - 1), f"h leads to {shown(page)}, not to the next record")
        check("Hidden:" in page.locator("[role=status]").inner_text(), "does not say what was hidden")
        browser.check_axe(page, f"{WHERE} decided")
        browser.take(page, f"{WHERE}-decided-light-1440")
        press(page, "u")
        check("Shown again" in page.locator("[role=status]").inner_text(), "u does not take it back")
        press(page, "r")
        check("Left as it is:" in page.locator("[role=status]").inner_text(), "r does not let it stand")
        press(page, "u")
        check("Waits again:" in page.locator("[role=status]").inner_text(), "u does not let the reports wait again")
        press(page, "r")
        check(shown(page)[1] == count - 2, "a record is decided and waits")
        page.keyboard.press("?")
        check(page.get_by_text("next record").is_visible(), "? shows no help")


def check_narrow(browser, console):
    with browser.page(WHERE, console + "moderation", width=390, entry=console) as (page, check):
        check(overflow(page) <= 0, f"is {overflow(page)} pixels too wide")
        for button in page.locator("section button:not([hidden])").all():
            box = button.bounding_box()
            check(box["height"] >= 24 and box["x"] + box["width"] <= 390, f"has a button of {box}")
        place = page.locator("section").bounding_box()["y"]
        check(place < page.locator("nav[aria-label=Waiting]").bounding_box()["y"], "shows the list before the record")
        browser.check_axe(page, f"{WHERE} 390")
        browser.take(page, f"{WHERE}-light-390")


def check_without_script(browser, console):
    with browser.page(f"{WHERE} without script", console + "moderation", script=False, entry=console) as (page, check):
        _, count = shown(page)
        page.locator("nav li a").nth(2).click()
        page.get_by_role("button", name=re.compile("Hide it|The reports were right|Leave it hidden")).click()
        check(shown(page)[1] == count - 1, "decides nothing")


def check_hostile(browser, console):
    with browser.page(WHERE, console + "moderation?case=h%3C%26%3E%22%27", entry=console) as (page, check):
        check("<script>alert(1)</script>" in page.inner_text("section"), "does not show a text as it is")
        check(page.locator("section script, section img").count() == 0, "takes a text for HTML")
        browser.check_axe(page, f"{WHERE} hostile")
        press(page, "h")
        press(page, "u")
        check("Shown again" in page.inner_text("main"), "cannot decide about a record with a hostile name")
