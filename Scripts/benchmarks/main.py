"""Measures the built binary against its peers and prints a table of ratios, for reading. Started by Scripts/bench."""

import argparse
import multiprocessing
import os
import signal
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
from harness import Bench, allow_many_files, print_table

SECTIONS = {
    "local": local_container.run, "schema": schema_files.run, "app": app_schemas.run,
    "curation": curation.run, "feeds": feeds.run,
    "articles": articles.run, "wire": wire.run, "recount": recounts.run, "mirror": mirror.run,
    "moderation": moderation.run, "hanging": feeds.run_hanging,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runner", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("sections", nargs="*")
    options = parser.parse_args()
    if unknown := {*options.sections} - SECTIONS.keys():
        parser.error(f"there is no section {', '.join(unknown)}")
    allow_many_files()
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


def measure(name, options):
    """Runs one section; returns its rows."""
    print(f"==> {name}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="celestra-bench-") as folder:
        bench = Bench(os.path.abspath(options.binary), os.path.abspath(options.runner), folder, [], options.small)
        SECTIONS[name](bench)
    return bench.rows


if __name__ == "__main__":
    main()
