"""Measures the built binary against its peers and prints a table of ratios, for reading. Started by Scripts/bench."""

import argparse
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile

import app_schemas
import articles
import curation
import feeds
import local_container
import mirror
import moderation
import recounts
import schema_files
import wire
from harness import ROOT, Bench, print_table

SECTIONS = {
    "local": local_container.run, "schema": schema_files.run, "app": app_schemas.run,
    "curation": curation.run, "feeds": feeds.run,
    "articles": articles.run, "wire": wire.run, "recount": recounts.run, "mirror": mirror.run,
    "moderation": moderation.run, "hanging": feeds.run_hanging,
}


def main():
    parser = argparse.ArgumentParser(prog="Scripts/bench", allow_abbrev=False)
    parser.add_argument("--binary", metavar="PATH")
    parser.add_argument("--runner", metavar="PATH")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("sections", metavar="SECTION", nargs="*")
    options = parser.parse_args()
    if unknown := {*options.sections} - SECTIONS.keys():
        parser.error(f"there is no section {', '.join(unknown)}")
    options.binary = options.binary or built("build_release")
    options.runner = options.runner or built("build_yardsticks")
    # Hundreds of connections need as many descriptors.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # Ended by a signal, the servers and temporary files go too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = []
    try:
        # A section is a process of its own: the memory that one holds when it starts a command counts as the command's.
        with multiprocessing.Pool(1, maxtasksperchild=1) as pool:
            for name in options.sections or [name for name in SECTIONS if options.small or name != "hanging"]:
                rows += pool.apply(measure, (name, options))
    finally:
        if not options.small:
            print_table(rows)


def built(function):
    """The path of what a function of Scripts/common.sh builds."""
    script = f"source Scripts/common.sh; {function}"
    return subprocess.run(["bash", "-c", script], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def measure(name, options):
    """Runs one section; returns its rows."""
    print(f"==> {name}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="celestra-bench-") as folder:
        bench = Bench(os.path.abspath(options.binary), os.path.abspath(options.runner), folder, [], options.small)
        SECTIONS[name](bench)
    return bench.rows


if __name__ == "__main__":
    main()
