"""A copy of the package with changes in it: writes it, builds it, and finds out which changes compile."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from processes import run
from switches import BASE, switch
from trials import TESTS

# The changed modules stand beside the originals, which some tests read.
CHANGED = "Changed"
FUNCTIONS = "ChangeSwitches.swift"

# Appended to the copy's Package.swift. Without named targets all are built.
MANIFEST = """
let changed: Set = [MODULES]
for target in package.targets where changed.contains(target.name) { target.path = "CHANGED/\\(target.name)" }
let chosen: [String] = [TARGETS]
var needed: Set<String> = []
@MainActor func require(_ name: String) {
  guard let target = package.targets.first(where: { $0.name == name }), needed.insert(name).inserted else { return }
  for dependency in target.dependencies {
    switch dependency {
    case .targetItem(let name, _), .byNameItem(let name, _): require(name)
    default: break
    }
  }
}
for name in chosen { require(name) }
if !chosen.isEmpty {
  package.targets = package.targets.filter { needed.contains($0.name) }
  package.products = []
}
"""
BUILD = ["swift", "build", "--build-tests", "-debug-info-format", "none"]


def save(path: Path, data: bytes):
    """Writes a file, unless it has that content already: the build compiles what is newer than its result."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


class Workshop:
    def __init__(self, root: Path, folder: Path, modules, jobs: int):
        self.root, self.folder, self.modules, self.jobs = root, folder, modules, jobs
        # Read from the copy: somebody may edit the originals meanwhile.
        self.sources = folder / "Sources"
        self.written = []  # the spans of the changes that the copy has now
        # What did not compile in an earlier run is not tried again.
        self.memory = folder / "not-compiling.json"
        self.failed = set(json.loads(self.memory.read_text())) if self.memory.is_file() else set()

    def prepare(self, targets):
        """Copies the package. Only the named targets are built, and what they need; without names, all."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root, check=True,
            capture_output=True, text=True).stdout.split("\0")
        names = {name for name in listed + ["Package.resolved"] if (self.root / name).is_file()}
        for top in ["Sources", "Tests"]:
            for path in (self.folder / top).rglob("*"):
                if path.is_file() and str(path.relative_to(self.folder)) not in names:
                    path.unlink()
        for name in names - {"Package.swift"}:
            save(self.folder / name, (self.root / name).read_bytes())
        manifest = (self.root / "Package.swift").read_text() + MANIFEST.replace("MODULES", quoted(self.modules))
        manifest = manifest.replace("CHANGED", CHANGED).replace("TARGETS", quoted(targets))
        save(self.folder / "Package.swift", manifest.encode())

    def apply(self, switches, texts=()):
        """Writes all modules with some changes as switches, which are numbered, and some as plain text."""
        self.written = []
        changed = {}
        functions = {module: BASE for module in self.modules}
        for change, number in switches.items():
            start, end, text, declarations = switch(change, number, (self.sources / change.file).read_text())
            changed.setdefault(change.file, []).append((start, end, text, change))
            functions[change.module] += declarations
        for change in texts:
            changed.setdefault(change.file, []).append((change.position, change.end, change.new, change))
        expected = set()
        for module in self.modules:
            for path in (self.sources / module).rglob("*"):
                if path.is_file():
                    name = path.relative_to(self.sources)
                    expected.add(name)
                    edits = sorted(changed.get(name, []), key=lambda edit: edit[0])
                    save(self.folder / CHANGED / name, self.edited(path, edits))
            expected.add(Path(module) / FUNCTIONS)
            save(self.folder / CHANGED / module / FUNCTIONS, functions[module].lstrip().encode())
        for path in (self.folder / CHANGED).rglob("*"):
            if path.is_file() and path.relative_to(self.folder / CHANGED) not in expected:
                path.unlink()

    def edited(self, path: Path, edits) -> bytes:
        """A file's bytes with its changes; records the line and columns of each."""
        source, out, position = path.read_bytes(), b"", 0
        if not edits:
            return source
        source = source.decode()
        for start, end, text, change in edits:
            out += source[position:start].encode()
            column = len(out) - out.rfind(b"\n")
            out += text.encode()
            self.written.append((change, column, column + len(text.encode())))
            position = end
        return out + source[position:].encode()

    def build(self):
        """The exit status of a build, and what the compiler says."""
        return run([*BUILD, "-j", str(self.jobs)], self.folder)

    def settle(self, switches, texts=()):
        """Builds, and takes back what does not compile until the rest does. Returns what was taken back.

        With texts only these are taken back: the switches compile already.
        """
        removable = set(texts or switches)
        kind = "text" if texts else "switch"
        removed = {change for change in removable if self.key(change, kind) in self.failed}
        while True:
            self.apply(
                {change: number for change, number in switches.items() if change not in removed},
                [change for change in texts if change not in removed])
            status, out = self.build()
            if status == 0:
                return removed
            guilty = self.guilty(out, removable - removed)
            if not guilty:
                sys.exit("the package does not build:\n" + "\n".join(re.findall(r".*error:.*", out)[:20]))
            removed |= guilty
            self.failed |= {self.key(change, kind) for change in guilty}
            save(self.memory, json.dumps(sorted(self.failed)).encode())

    def key(self, change, kind):
        """What identifies a change of a file with its present content."""
        content = hashlib.sha256((self.sources / change.file).read_bytes()).hexdigest()[:16]
        return f"{change.file} {content} {change.position} {change.new.strip()} {kind}"

    def guilty(self, out: str, removable):
        """The change at each place of an error; else the nearest of its file; else all of its module."""
        changed = self.folder / CHANGED
        places = {
            (Path(file).relative_to(changed), int(line), int(column))
            for file, line, column in re.findall(rf"^({changed}/[^:\n]+\.swift):(\d+):(\d+): error:", out, re.M)}
        spans = [span for span in self.written if span[0] in removable]
        found, unclear = set(), []
        for file, line, column in sorted(places):
            here = [span for span in spans if span[0].file == file and span[0].line == line]
            if here:
                found.add(min(here, key=lambda span: 0 if span[1] <= column <= span[2] else abs(span[1] - column))[0])
            else:
                unclear.append((file, line))
        for file, line in unclear:
            near = [span[0] for span in spans if span[0].file == file]
            if near and not any(change.file == file for change in found):
                found.add(min(near, key=lambda change: abs(change.line - line)))
        modules = {file.parts[0] for file, _, _ in places}
        return found or {change for change in removable if change.module in modules}

    def products(self):
        """The folder of the built executables."""
        return Path(subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=self.folder, check=True, capture_output=True,
            text=True).stdout.strip())

    def link(self, folder: Path):
        """Gives a folder the executables of the last build: those of the tests, and the tool beside them."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        products = self.products()
        for path in [products / TESTS, products / "celestra-admin", *products.glob("*.so")]:
            if path.is_file():
                (folder / path.name).hardlink_to(path)

    def test_targets(self):
        """The names of the modules that each test target needs, in the order of Package.swift."""
        described = json.loads(subprocess.run(
            ["swift", "package", "dump-package"], cwd=self.folder, check=True, capture_output=True, text=True).stdout)
        direct = {
            target["name"]: [item["byName"][0] for item in target["dependencies"] if "byName" in item]
            for target in described["targets"]}

        def needed(name, found):
            for dependency in direct.get(name, []):
                if dependency not in found:
                    found.add(dependency)
                    needed(dependency, found)
            return found

        return {
            target["name"]: needed(target["name"], set())
            for target in described["targets"] if target["type"] == "test"}
