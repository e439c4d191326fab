/// The difference of two texts by lines, as `diff -u` and `git apply` write it.
package struct UnifiedDiff: Sendable {
  /// The document; empty if the texts are equal.
  package let text: String

  /// The number of unchanged lines around a change.
  private static let context = 3
  /// Above this number of lines the changed middle is replaced as a whole: the search for the smallest difference
  /// takes time and memory that grow with the square of the changes.
  private static let maxLines = 4000

  /// - Parameter name: the file's path, for the header.
  package init(from old: String, to new: String, name: String) {
    let (oldLines, newLines) = (Self.lines(of: old), Self.lines(of: new))
    let edits = Self.edits(oldLines, newLines)
    guard edits.contains(where: { $0.mark != " " }) else {
      text = ""
      return
    }
    text = "--- a/\(name)\n+++ b/\(name)\n" + Self.hunks(edits)
  }

  /// What replaces parts of the old text, by their bytes, so that a cursor stays in its line: lines that differ in spaces
  /// only are the same line.
  package static func replacements(from old: String, to new: String) -> [(range: Range<Int>, text: String)] {
    let (oldLines, newLines) = (lines(of: old), lines(of: new))
    let words = { (line: Substring) in
      Substring(decoding: line.utf8.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }
    var found: [(range: Range<Int>, text: String)] = []
    var (offset, from, to, isChanging) = (0, 0, 0, false)
    for (mark, _) in edits(oldLines.map(words), newLines.map(words)) {
      if mark == " " {
        found += change(of: Array(oldLines[from].utf8), to: Array(newLines[to].utf8), at: offset)
      } else {
        if !isChanging { found.append((offset..<offset, "")) }
        let removed = mark == "-" ? oldLines[from].utf8.count : 0
        found[found.count - 1].range = found[found.count - 1].range.lowerBound..<offset + removed
        if mark == "+" { found[found.count - 1].text.append(contentsOf: newLines[to]) }
      }
      isChanging = mark != " "
      if mark != "+" {
        offset += oldLines[from].utf8.count
        from += 1
      }
      if mark != "-" { to += 1 }
    }
    return found
  }

  /// What two lines do not have in common between their beginnings and ends; nothing for equal ones.
  private static func change(
    of old: [UInt8], to new: [UInt8], at offset: Int
  ) -> [(range: Range<Int>, text: String)] {
    guard old != new else { return [] }
    var start = zip(old, new).prefix { $0 == $1 }.count
    while start > 0, start < old.count, old[start] & 0xC0 == 0x80 { start -= 1 }
    var tail = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    while tail > 0, old[old.count - tail] & 0xC0 == 0x80 { tail -= 1 }
    let text = String(decoding: new[start..<new.count - tail], as: UTF8.self)
    return [(offset + start..<offset + old.count - tail, text)]
  }

  private typealias Edit = (mark: Character, line: Substring)

  /// The lines with their line ends, so that a missing last one is a difference.
  private static func lines(of text: String) -> [Substring] {
    var lines: [Substring] = []
    var rest = text.utf8[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Substring(rest[...end]))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { lines.append(Substring(rest)) }
    return lines
  }

  /// Every line of both texts in order, marked as kept, removed or added.
  private static func edits(_ old: [Substring], _ new: [Substring]) -> [Edit] {
    let head = zip(old, new).prefix { $0 == $1 }.count
    let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
    let (removed, added) = (old[head..<(old.count - tail)], new[head..<(new.count - tail)])
    let kept = { (lines: ArraySlice<Substring>) in lines.map { Edit(" ", $0) } }
    let middle =
      removed.count + added.count > maxLines
      ? removed.map { Edit("-", $0) } + added.map { Edit("+", $0) } : merge(Array(removed), Array(added))
    return kept(old[..<head]) + middle + kept(old[(old.count - tail)...])
  }

  private static func merge(_ old: [Substring], _ new: [Substring]) -> [Edit] {
    let difference = new.difference(from: old)
    var (removed, added): (Set<Int>, Set<Int>) = ([], [])
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var edits: [Edit] = []
    var (from, to) = (0, 0)
    while from < old.count || to < new.count {
      if removed.contains(from) {
        edits.append(("-", old[from]))
        from += 1
      } else if added.contains(to) {
        edits.append(("+", new[to]))
        to += 1
      } else {
        edits.append((" ", old[from]))
        from += 1
        to += 1
      }
    }
    return edits
  }

  private static func hunks(_ edits: [Edit]) -> String {
    let changed = edits.indices.filter { edits[$0].mark != " " }
    var groups: [Range<Int>] = []
    for place in changed {
      let (start, end) = (max(0, place - context), min(edits.count, place + context + 1))
      if let last = groups.last, last.upperBound >= start {
        groups[groups.count - 1] = last.lowerBound..<end
      } else {
        groups.append(start..<end)
      }
    }
    var (oldLine, newLine, next) = (1, 1, 0)
    return groups.map { group in
      for edit in edits[next..<group.lowerBound] {
        if edit.mark != "+" { oldLine += 1 }
        if edit.mark != "-" { newLine += 1 }
      }
      let lines = edits[group]
      let (oldCount, newCount) = (lines.count { $0.mark != "+" }, lines.count { $0.mark != "-" })
      let header = "@@ -\(span(oldLine, oldCount)) +\(span(newLine, newCount)) @@\n"
      (oldLine, newLine, next) = (oldLine + oldCount, newLine + newCount, group.upperBound)
      return header + lines.map { written($0) }.joined()
    }.joined()
  }

  /// A place of no lines is given by the line before it.
  private static func span(_ line: Int, _ count: Int) -> String { "\(count == 0 ? line - 1 : line),\(count)" }

  private static func written(_ edit: Edit) -> String {
    let end = edit.line.utf8.last == UInt8(ascii: "\n") ? "" : "\n\\ No newline at end of file\n"
    return "\(edit.mark)\(edit.line)\(end)"
  }
}
