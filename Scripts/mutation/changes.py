"""Which changes a sample has: places of comparisons, conditions and constants, and what replaces them."""

import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path

# Each rule finds an expression in code, outside of comments and literals of text, and gives what replaces it.
SWAPS = {
    " == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
    " && ": " || ", " || ": " && ", " + ": " - ", " - ": " + ", "..<": "...",
}
PATTERNS = [
    (re.compile("|".join(re.escape(text) for text in sorted(SWAPS, key=len, reverse=True))), lambda m: SWAPS[m[0]]),
    (re.compile(r"\b(true|false)\b"), lambda m: "false" if m[0] == "true" else "true"),
    (re.compile(r"(?<![\w.)\]])!(?=[A-Za-z(])"), lambda m: ""),
    (re.compile(r"(?<![\w.])\d[\d_]*(?![\w.])"), lambda m: str(int(m[0].replace("_", "")) + 1)),
    (re.compile(r"\b(min|max)(?=\()"), lambda m: "max" if m[0] == "min" else "min"),
    (re.compile(r"\.(isEmpty|first|last)\b(?![(:])"),
     lambda m: {"isEmpty": ".isEmpty == false", "first": ".last", "last": ".first"}[m[1]]),
]
# Attributes, imports, conditions of compilation and declarations of availability hold no behavior.
PLAIN = re.compile(r"^\s*(@|#|(public |internal |private |package |fileprivate )?import |precondition)")
# A number that says how much memory to reserve.
RESERVATION = re.compile(r"(reserveCapacity\(|minimumCapacity: )[^()]*$")


@dataclass(frozen=True)
class Change:
    """A place of a file, and the text that replaces the text there."""

    module: str
    file: Path  # below Sources
    position: int
    old: str
    new: str
    line: int
    excerpt: str

    @property
    def end(self):
        return self.position + len(self.old)

    @property
    def place(self):
        return f"Sources/{self.file}:{self.line}"

    def __str__(self):
        return f"{self.place}: {self.old.strip()} -> {self.new.strip() or 'nothing'}    {self.excerpt}"


def blank(source: str) -> str:
    """The source with the characters of comments and of string literals replaced by blanks."""
    out = list(source)
    tokens = re.compile(
        r'//[^\n]*|/\*.*?\*/|(#*)""".*?"""\1|(#+)"[^\n]*?"\2|"(?:\\.|[^"\\\n])*"|/(?! )(?:\\.|[^/\\\n])+/(?=[,)\s.])', re.S)
    for match in tokens.finditer(source):
        for index in range(*match.span()):
            if out[index] != "\n":
                out[index] = " "
    return "".join(out)


def closure(code: str, position: int) -> str:
    """The code between the braces around a position."""
    start, depth = position, 1
    while depth and start:
        start -= 1
        depth += {"}": 1, "{": -1}.get(code[start], 0)
    end, depth = position, 1
    while depth and end < len(code):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return code[start:end]


def is_pointless(change: Change, sources: Path) -> bool:
    """Whether the text alone shows that the change does not compile, or that the program means the same with it."""
    source = (sources / change.file).read_text()
    code = blank(source)
    # Lists are only ever added.
    if change.old == " + " and source[change.end] == "[":
        return True
    # A closure that uses only its first argument has no second.
    if source[change.position - 1] == "$" and f"${change.new}" not in closure(code, change.position):
        return True
    line = code[code.rfind("\n", 0, change.position) + 1:change.position]
    # The declaration of an operator.
    if line.endswith(" func"):
        return True
    return change.old[0].isdigit() and RESERVATION.search(line) is not None


def changes(module: str, sources: Path):
    """Every change of a module, in the order of its files."""
    found = []
    for path in sorted((sources / module).rglob("*.swift")):
        source = path.read_text()
        start = 0
        for number, line in enumerate(blank(source).splitlines(keepends=True), 1):
            for pattern, replacement in [] if PLAIN.match(line) else PATTERNS:
                for match in pattern.finditer(line):
                    position = start + match.start()
                    # Texts are only ever added: such a change does not compile.
                    if match[0] == " + " and '"' in source[position - 1] + source[start + match.end()]:
                        continue
                    found.append(Change(
                        module, path.relative_to(sources), position, match[0], replacement(match), number,
                        source[start:start + len(line)].strip()))
            start += len(line)
    return found


def sample(module: str, sources: Path, size: int, seed: int):
    """Changes of a module, drawn with the seed."""
    found = changes(module, sources)
    random.Random(f"{seed} {module}").shuffle(found)
    chosen = (change for change in found if not is_pointless(change, sources))
    return list(itertools.islice(chosen, size))
