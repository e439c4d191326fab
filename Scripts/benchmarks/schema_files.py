"""The schema language: validation beside xmllint, memory, lint and diff of a schema of ten megabytes, and start-up."""

import os
import random

from harness import SCHEMA

HEADER = "DEFINE SCHEMA\n\n    CREATE ROLE Editor;\n"
TYPES = [
    "STRING QUERYABLE SEARCHABLE SORTABLE", "STRING", "INT64 QUERYABLE SORTABLE", "DOUBLE", "TIMESTAMP SORTABLE",
    "REFERENCE QUERYABLE", "LIST<STRING> QUERYABLE", "LIST<INT64>", "ASSET", "LOCATION QUERYABLE", "BYTES",
]


def run(bench):
    bench.compare(
        "schema validate schema/celestra.ckdb / curl --version", lambda: bench.tool("schema", "validate", SCHEMA),
        lambda: bench.run(["curl", "--version"]), at_most=1.6, runs=21)
    # About ten megabytes.
    count = bench.count(13_037)
    size = write_schema(bench.path("a.ckdb"), count)
    write_xml(bench.path("a.ckdb"), bench.path("a.xml"))
    validate = lambda: bench.tool("schema", "validate", "a.ckdb")
    runs = bench.compare(
        "schema validate, 10 MB / xmllint --sax of the same size", validate,
        lambda: bench.run(["xmllint", "--sax", "--noout", "a.xml"]), at_most=5, runs=5)
    peak = max(run.megabytes for run in runs)
    bench.ratio(
        "  its memory / the file's size", f"{peak:.0f} MB", f"{size / (1 << 20):.0f} MB", peak / (size / (1 << 20)),
        at_most=20)
    bench.compare(
        "schema lint of it / schema validate", lambda: bench.tool("schema", "lint", "a.ckdb"), validate, at_most=1.7,
        runs=5)
    # Not before: a lint also reads the other schemas of the folder.
    write_schema(bench.path("b.ckdb"), count, seed=2)
    # The diff reads both files too, side by side.
    bench.compare(
        "schema diff, two of them / reading both", lambda: bench.tool("schema", "diff", "a.ckdb", "b.ckdb"),
        lambda: bench.tool("schema", "validate", "a.ckdb", "b.ckdb"), at_most=1, runs=5)
    large_schemas(bench)


def large_schemas(bench):
    """Four times as many types take at most five times as long."""
    counts = [bench.count(count) for count in (2000, 8000)]
    for count in counts:
        write_schema(bench.path(f"{count}.ckdb"), count)
    for what, words in (
            ("container init", "container init --schema {n}.ckdb --container local:{n}-{run}.sqlite"),
            ("schema docs", "schema docs {n}.ckdb"),
            # Each time into a new folder: files that are up to date are not written.
            ("schema generate, swift", "schema generate {n}.ckdb --language swift --output swift-{n}-{run}"),
            ("schema generate, typescript", "schema generate {n}.ckdb --language typescript --output ts-{n}-{run}")):
        few, many = (
            min(bench.tool(*words.format(n=n, run=run).split()).seconds for run in range(1 if bench.small else 3))
            for n in counts)
        bench.seconds(f"{what}, 8,000 types / 2,000 types", many, few, at_most=5)


def write_xml(schema, path):
    """XML of the schema's size that says about the same: an element for each field."""
    size, number = os.path.getsize(schema), 0
    with open(path, "w") as file:
        file.write("<schema>\n")
        while file.tell() < size:
            file.write(f'<field name="field{number % 100:02}OfKind{number % 900 + 100}" type="STRING" index="SORTABLE"/>\n')
            number += 1
        file.write("</schema>\n")


def write_schema(path, count, seed=1):
    """Record types, and the size of their file; with another seed, one field in twenty has another type or index."""
    shared, own = random.Random(0), random.Random(seed)
    with open(path, "w") as file:
        file.write(HEADER)
        file.writelines(record_type(number, shared, own) for number in range(count))
    return os.path.getsize(path)


def record_type(number, shared, own):
    lines = ['        "___createTime" TIMESTAMP QUERYABLE SORTABLE', '        "___recordID" REFERENCE QUERYABLE']
    for field in range(shared.randint(4, 24)):
        type = shared.choice(TYPES)
        if own.random() < 0.05:
            type = own.choice(TYPES)
        lines.append(f"        field{field:02}OfKind{shared.randint(100, 999)} {type}")
    lines += ['        GRANT READ TO "_world"', "        GRANT READ, CREATE, WRITE TO Editor"]
    return f"\n    RECORD TYPE Made{number:05} (\n" + ",\n".join(lines) + "\n    );\n"
