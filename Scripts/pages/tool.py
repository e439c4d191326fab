"""Runs the built binary on scratch containers."""

import contextlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import catalog

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Tool:
    def __init__(self, binary, folder):
        self.binary = os.path.abspath(binary)
        self.folder = folder
        shutil.copytree(f"{ROOT}/schema", f"{folder}/schema")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "CELESTRA_ADMIN_CLOCK": catalog.CLOCK, "LANG": "C.UTF-8"}

    def run(self, *words, status=0):
        done = subprocess.run([self.binary, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != status:
            raise SystemExit(f"error: {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def container(self, name, count, hostile=False):
        """Creates a container with `count` feeds and returns its name for --container."""
        spec = f"local:{name}.sqlite"
        self.run("container", "init", "--schema", "schema/celestra.ckdb", "--container", spec)
        self.import_records(spec, catalog.records(count, hostile))
        return spec

    def import_records(self, spec, lines):
        path = os.path.join(self.folder, "records.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.run("records", "import", path, "--container", spec, "--yes", "-q")

    def report(self, spec, name, *words):
        path = os.path.join(self.folder, f"{name}.html")
        self.run("status", "--container", spec, "--schema", "schema/celestra.ckdb", "--output", path, *words)
        return path

    @contextlib.contextmanager
    def serving(self, *words):
        """A server of this tool. Yields the addresses that it prints, by what is there."""
        errors = Path(self.folder, "serving.txt")
        with open(errors, "w") as file:
            server = subprocess.Popen(
                [self.binary, *words], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=file)
        try:
            yield self.addresses(server, errors)
        finally:
            server.terminate()
            server.wait(timeout=300)

    @staticmethod
    def addresses(server, errors):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and server.poll() is None:
            found = dict(re.findall(r"^(\S+) at (http://\S+)$", errors.read_text(), re.MULTILINE))
            if "console" in found:
                return found
            time.sleep(0.05)
        raise SystemExit(f"error: the console did not start:\n{errors.read_text()}")
