internal import Diagnostics
internal import XMLReading

/// Collects findings, only the first of each code: ten thousand unreadable dates are one finding.
struct FeedFindingList {
  private(set) var list: [Diagnostic]

  init(_ list: [Diagnostic] = []) { self.list = list }

  mutating func add(_ rule: FeedRule, _ message: @autoclosure () -> String) {
    guard !contains(rule) else { return }
    list.append(Diagnostic(rule, message()))
  }

  mutating func add(_ finding: Diagnostic) {
    guard !list.contains(where: { $0.code == finding.code }) else { return }
    list.append(finding)
  }

  mutating func remove(_ rule: FeedRule) { list.removeAll { $0.code == rule.code } }

  func contains(_ rule: FeedRule) -> Bool { list.contains { $0.code == rule.code } }
}

extension Diagnostic {
  /// The finding about a document that was not read to the end of its root element.
  static func cutDocument(at place: TextPlace) -> Diagnostic {
    Diagnostic(
      FeedRule.cutDocument,
      "the document stops at \(place), before its root element ends; the item that is open there is left out")
  }

  static func encodingMismatch(_ label: EncodingLabel, readAs used: EncodingLabel) -> Diagnostic {
    Diagnostic(FeedRule.encodingMismatch, "the document is not in \(label.name); it was read as \(used.name)")
  }

  static func tooManyBytes(read count: Int) -> Diagnostic {
    Diagnostic(FeedRule.tooManyBytes, "the document is too large: only its first \(count) bytes were read")
  }
}
