"""The schemas of apps: an answer of the language server to each key, and how fast an app's code is read."""

import json
import os
import statistics
import subprocess
import time

from harness import ROOT
from schema_files import write_schema

KEYS = 60


def run(bench):
    keystrokes(bench)
    code(bench)


def keystrokes(bench):
    """From a change of 2,000 lines to its findings, and to the hover that was asked for with it."""
    write_schema(bench.path("keys.ckdb"), 93)
    with open(bench.path("keys.ckdb")) as file:
        text = file.read()
    uri = "file:///app/schema.ckdb"
    document = {"uri": uri, "languageId": "ckdb", "version": 0, "text": text}
    with Server(bench) as server:
        server.ask("initialize", {"capabilities": {}})
        server.send("textDocument/didOpen", {"textDocument": document})
        server.read_findings(0)
        times = []
        for version in range(1, (3 if bench.small else KEYS) + 1):
            place = {"line": version * 30, "character": 8}
            start = time.perf_counter()
            server.send("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": "x"}]})
            server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
            server.read_findings(version)
            times.append(time.perf_counter() - start)
        server.ask("shutdown", None)
        server.send("exit", None)
    middle, slowest = statistics.median(times), max(times)
    bench.ratio(
        f"lsp, a key in {text.count(chr(10)):,} lines / 100 ms", f"{middle * 1000:.0f} ms", "100 ms", middle / 0.1,
        at_most=1)
    bench.ratio("  the slowest of them", f"{slowest * 1000:.0f} ms", "100 ms", slowest / 0.1, at_most=1)


class Server:
    def __init__(self, bench):
        self.process = subprocess.Popen(
            [bench.binary, "lsp"], cwd=bench.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        # The version of the text that findings were sent for last.
        self.found = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError(f"lsp ended with {self.process.returncode}")

    def send(self, method, parameters, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send(method, parameters, id=self.number)
        while self.read().get("id") != self.number:
            pass

    def read_findings(self, version):
        while self.found != version:
            self.read()

    def read(self):
        length = int(self.process.stdout.readline().split(b":")[1])
        self.process.stdout.readline()
        message = json.loads(self.process.stdout.read(length))
        if "method" in message:
            self.found = message["params"]["version"]
        return message


def code(bench):
    """All Swift of this project, read at once, beside counting its lines."""
    parts, runs = (("Sources/AppCode",), range(1)) if bench.small else (("Sources", "Tests"), range(5))
    files = [
        os.path.join(folder, name) for part in parts for folder, _, names in os.walk(os.path.join(ROOT, part))
        for name in names if name.endswith(".swift")]
    write_schema(bench.path("app.ckdb"), 0)
    words = ["schema", "check-app", *files, "--schema", "app.ckdb"]
    ours = min((bench.tool(*words, allowed=(0, 3)) for _ in runs), key=lambda run: run.processor)
    start = min((bench.tool("schema", "validate", "app.ckdb") for _ in runs), key=lambda run: run.processor)
    counted = min((bench.run(["wc", "-l", *files], keep=True) for _ in runs), key=lambda run: run.processor)
    lines = int(counted.output.split()[-2])
    seconds = max(ours.processor - start.processor, 0.001)
    bench.ratio(
        f"schema check-app, {lines:,} lines / 100,000 a second of a processor", f"{lines / seconds:,.0f}/s", "100,000/s",
        lines / seconds / 100_000, at_least=1)
    bench.seconds("  its time / wc -l", ours.processor, counted.processor)
