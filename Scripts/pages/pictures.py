"""The pictures of the README: a plan as the terminal shows it, and a report of made-up feeds in the browser."""

import hashlib
import html
import re
import shutil
from pathlib import Path

from tool import ROOT

FOLDER = Path(ROOT, "Documentation", "pictures")
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#f0b04f", "36": "#79c0ff"}
WIDTH, LINE = 8.45, 20


def spans(line):
    """A line of terminal text as SVG: its colors, bold and dim."""
    paint = ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not code:
            if part:
                yield f"<tspan{paint}>{html.escape(part)}</tspan>"
        elif code[1] in COLORS:
            paint = f' fill="{COLORS[code[1]]}"'
        else:
            paint = {"1": ' font-weight="bold"', "2": ' fill="#8b949e"'}.get(code[1], "")


def terminal(text):
    lines = text.rstrip("\n").split("\n")
    columns = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width, height = int(columns * WIDTH) + 40, len(lines) * LINE + 36
    rows = "".join(
        f'<text x="20" y="{32 + index * LINE}" xml:space="preserve">{"".join(spans(line))}</text>\n'
        for index, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        f'<g fill="#e6edf3" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n{rows}</g>\n</svg>\n')


def plan(tool):
    """What an editor sees after a few edits of the project's own seeds."""
    seeds = shutil.copytree(Path(ROOT, "seeds"), Path(tool.folder, "seeds"))
    tool.run("container", "init", "--schema", "schema/celestra.ckdb")
    tool.run("seed", "apply", "seeds", "--yes")
    tool.run("container", "fill", "--users", "2000")
    tool.run("recount", "subscribers", "--yes")
    path = seeds / "feeds" / "technology.json"
    edited = re.sub(r'"title": "([^"]*)"', r'"title": "\1 (daily)"', path.read_text("utf-8"), count=1)
    edited = re.sub(r'"feedURL": "https://simonwillison.net/[^"]*"', '"feedURL": "https://simonwillison.net/atom/entries/"', edited)
    path.write_text(edited, "utf-8")
    return "$ celestra-admin seed plan\n" + tool.run("seed", "plan", "--color", "always")


def texts(tool):
    """What the pictures are made from: the files to compare, by name, and the page of the second one."""
    page = tool.report(tool.container("pictures", 100), "pictures")
    digest = hashlib.sha256(Path(page).read_bytes()).hexdigest()
    return {"plan.svg": terminal(plan(tool)), "report.html.sha256": digest + "\n"}, page


def check(tool, failures):
    for name, text in texts(tool)[0].items():
        same = (FOLDER / name).read_text("utf-8") == text
        failures.check(same, name, "shows other output: run Scripts/test-pages --make-pictures")


def make(tool, chromium):
    files, report = texts(tool)
    for name, text in files.items():
        (FOLDER / name).write_text(text, "utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.goto("file://" + report)
    page.screenshot(path=FOLDER / "report.png")
