"""Writes a change as a switch: Swift that evaluates as before, unless the change's number is the active one.

Each changed operator becomes an operator of its own, whose name has the number. It keeps the binding of the original:
`a || b || c` with the second changed means `(a || b) && c`. The functions of a module's switches are in one file.
"""

# In the folder of the executable: the number of the change that its processes test, and while the tests are measured
# a byte for each change, which becomes 1 when a process comes to its place.
NUMBER_FILE, REACHED_FILE = "active-change", "reached-changes"

PRECEDENCE = {
    "==": "Comparison", "!=": "Comparison", "<": "Comparison", "<=": "Comparison", ">": "Comparison",
    ">=": "Comparison", "&&": "LogicalConjunction", "||": "LogicalDisjunction", "+": "Addition", "-": "Addition",
    "..<": "RangeFormation",
}

# The parts that do not depend on the change.
BASE = """
import Glibc

func _openBesideExecutable(_ file: String, _ mode: Int32) -> Int32 {
  var name = [UInt8](repeating: 0, count: 4096)
  let length = name.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
  guard length > 0, let end = name[..<length].lastIndex(of: UInt8(ascii: "/")) else { return -1 }
  return open(String(decoding: name[...end], as: UTF8.self) + file, mode | O_CLOEXEC)
}

@usableFromInline let _activeChange: Int = {
  let file = _openBesideExecutable("NUMBER_FILE", O_RDONLY)
  guard file >= 0 else { return 0 }
  defer { close(file) }
  var digits = [UInt8](repeating: 0, count: 20)
  let length = digits.withUnsafeMutableBytes { read(file, $0.baseAddress!, $0.count) }
  return Int(String(decoding: digits.prefix(max(0, length)), as: UTF8.self)) ?? 0
}()

@usableFromInline nonisolated(unsafe) let _reachedChanges: UnsafeMutablePointer<UInt8>? = {
  let file = _openBesideExecutable("REACHED_FILE", O_RDWR)
  guard file >= 0 else { return nil }
  defer { close(file) }
  let memory = mmap(nil, Int(lseek(file, 0, SEEK_END)), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
  return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
}()

@usableFromInline func _isActive(_ number: Int) -> Bool {
  _reachedChanges?[number] = 1
  return _activeChange == number
}

@usableFromInline func _change<T>(_ number: Int, _ old: T, _ new: T) -> T { _isActive(number) ? new : old }

@usableFromInline func _changedMin<T: Comparable>(_ number: Int, _ a: T, _ b: T, _ rest: T...) -> T {
  rest.reduce(_isActive(number) ? max(a, b) : min(a, b)) { _isActive(number) ? max($0, $1) : min($0, $1) }
}

@usableFromInline func _changedMax<T: Comparable>(_ number: Int, _ a: T, _ b: T, _ rest: T...) -> T {
  rest.reduce(_isActive(number) ? min(a, b) : max(a, b)) { _isActive(number) ? min($0, $1) : max($0, $1) }
}

extension Bool {
  func _changed(_ number: Int) -> Bool { self != _isActive(number) }
}

extension Sequence {
  func _changedMin(_ number: Int) -> Element? where Element: Comparable { _isActive(number) ? self.max() : self.min() }
  func _changedMax(_ number: Int) -> Element? where Element: Comparable { _isActive(number) ? self.min() : self.max() }
  func _changedMin(_ number: Int, by order: (Element, Element) throws -> Bool) rethrows -> Element? {
    try _isActive(number) ? self.max(by: order) : self.min(by: order)
  }
  func _changedMax(_ number: Int, by order: (Element, Element) throws -> Bool) rethrows -> Element? {
    try _isActive(number) ? self.min(by: order) : self.max(by: order)
  }
}

extension BidirectionalCollection {
  func _changedFirst(_ number: Int) -> Element? { _isActive(number) ? self.last : self.first }
  func _changedLast(_ number: Int) -> Element? { _isActive(number) ? self.first : self.last }
  func _changedFirst(_ number: Int, where matches: (Element) throws -> Bool) rethrows -> Element? {
    try _isActive(number) ? self.last(where: matches) : self.first(where: matches)
  }
  func _changedLast(_ number: Int, where matches: (Element) throws -> Bool) rethrows -> Element? {
    try _isActive(number) ? self.first(where: matches) : self.last(where: matches)
  }
}
""".replace("NUMBER_FILE", NUMBER_FILE).replace("REACHED_FILE", REACHED_FILE)

# Two operands of a comparison: of one type, of two types of text, of two types of number, or tuples.
COMPARED = """
@usableFromInline func OP<T: KIND>(a: T, b: T) -> Bool { BODY }
@_disfavoredOverload func OP<A: StringProtocol, B: StringProtocol>(a: A, b: B) -> Bool { BODY }
@_disfavoredOverload func OP<A: BinaryInteger, B: BinaryInteger>(a: A, b: B) -> Bool { BODY }
func OP<A: KIND, B: KIND>(a: (A, B), b: (A, B)) -> Bool { BODY }
"""
COMPARED_WITH_NIL = "func OP<T>(a: T?, b: _OptionalNilComparisonType) -> Bool { BODY }\n"
JOINED = "func OP(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool { BODY }\n"
# Moments and durations, or pointers and distances, beside numbers.
COMPUTED = """
@usableFromInline func OP<T: AdditiveArithmetic>(a: T, b: T) -> T { BODY }
func OP<T: InstantProtocol>(a: T, b: T.Duration) -> T {
  a.advanced(by: _isActive(NUMBER) == ADDS ? .zero - b : b)
}
@_disfavoredOverload func OP<T: Strideable>(a: T, b: T.Stride) -> T {
  a.advanced(by: _isActive(NUMBER) == ADDS ? .zero - b : b)
}
"""
RANGE = """
func OP<T: Strideable>(a: T, b: T) -> Range<T> where T.Stride: SignedInteger {
  a..<(_isActive(NUMBER) ? b.advanced(by: 1) : b)
}
"""
RANGE_UP_TO = """
prefix func OP<T: Strideable>(b: T) -> PartialRangeUpTo<T> where T.Stride: SignedInteger {
  ..<(_isActive(NUMBER) ? b.advanced(by: 1) : b)
}
"""
NEGATION = "prefix func OP(a: Bool) -> Bool { a == _isActive(NUMBER) }\n"


def operator_name(operator: str, number: int) -> str:
    """The operator with the number in characters that operators may have."""
    return operator + "".join(chr(0x2500 + int(digit)) for digit in str(number))


def functions(operator: str, new: str, source: str, end: int) -> str:
    """The functions of a changed operator that stands before a position of the source."""
    if operator in ("==", "!="):
        return COMPARED_WITH_NIL if source.startswith("nil", end) else COMPARED.replace("KIND", "Equatable")
    if operator in ("&&", "||"):
        return JOINED
    if operator in ("+", "-"):
        return COMPUTED.replace("ADDS", "true" if operator == "+" else "false")
    return RANGE if operator == "..<" else COMPARED.replace("KIND", "Comparable")


def switch(change, number: int, source: str):
    """Where the switch of a change begins and ends in the source, its text, and its declarations in Swift."""
    start, end, old, new = change.position, change.end, change.old, change.new
    before = source[start - 1]
    operator = old.strip()
    if operator in PRECEDENCE or operator == "!":
        name = operator_name(operator, number)
        is_prefix = operator == "!" or operator == "..<" and before in " ([{"
        kind = "prefix operator OP\n" if is_prefix else f"infix operator OP: {PRECEDENCE[operator]}Precedence\n"
        if is_prefix:
            text = NEGATION if operator == "!" else RANGE_UP_TO
        else:
            text = functions(operator, new, source, end)
        right = "b()" if operator in ("&&", "||") else "b"
        trying = "try " if operator in ("&&", "||") else ""
        body = f"{trying}_isActive(NUMBER) ? a {new.strip()} {right} : a {operator} {right}"
        text = (kind + text).replace("BODY", body).replace("OP", name).replace("NUMBER", str(number))
        return start, end, old.replace(operator, name), text
    if old in ("true", "false") or old[0].isdigit():
        # $0 becomes $1.
        sign = "$" if before == "$" else ""
        return start - len(sign), end, f"_change({number}, {sign}{old}, {sign}{new})", ""
    if old in ("min", "max"):
        if source.endswith("Swift.", 0, start):
            start -= len("Swift.")
        comma = "" if source[end + 1] == ")" else ", "
        return start, end + 1, f"_changed{old.capitalize()}({number}{comma}", ""
    if old == ".isEmpty":
        return start, end, f".isEmpty._changed({number})", ""
    return start, end, f"._changed{old[1:].capitalize()}({number})", ""
