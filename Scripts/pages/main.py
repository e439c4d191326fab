"""usage: main.py --chromium FILE [--binary FILE] [--pictures FOLDER | --make-pictures]

Ends with 1 when a page is not as it must be. With --pictures every view is kept. --make-pictures makes the
pictures of the README again.
"""

import argparse
import os
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

import console_moderation
import consoles
import pictures
import reports
from browser import Browser, Failures
from tool import ROOT, Tool


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--binary", default=f"{ROOT}/.build/debug/celestra-admin")
    parser.add_argument("--pictures")
    parser.add_argument("--make-pictures", action="store_true")
    options = parser.parse_args()
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    start = time.monotonic()
    failures = Failures()
    # As root Chromium has no sandbox to start in.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=options.chromium, args=arguments)
        browser = Browser(chromium, failures, options.pictures)
        tool = Tool(options.binary, folder)
        if options.make_pictures:
            pictures.make(tool, chromium)
        else:
            reports.check(tool, browser)
            consoles.check(tool, browser)
            console_moderation.check(tool, browser)
            pictures.check(tool, failures)
        chromium.close()
    print(f"pages: {len(failures)} failures in {time.monotonic() - start:.0f} s", flush=True)
    sys.exit(1 if failures else 0)


main()
