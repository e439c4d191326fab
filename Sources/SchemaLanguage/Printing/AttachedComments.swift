/// The comments that go where one piece of a schema goes.
struct AttachedComments {
  struct Line {
    /// With its marks; a block comment may span lines.
    var text: String
    var isBlock: Bool
    /// Set apart from the comment before it by an empty line.
    var isApart: Bool

    /// Nothing can follow it on its line, or it does not fit on one.
    var endsLine: Bool { !isBlock || text.utf8.contains(UInt8(ascii: "\n")) }
  }

  /// On lines of their own, above.
  var leading: [Line] = []
  /// At the end of the line.
  var trailing: [Line] = []

  mutating func append(_ other: AttachedComments) {
    leading += other.leading
    trailing += other.trailing
  }

  /// The same comments such that the trailing ones do fit on one line: at most the last may end it.
  var fitting: AttachedComments {
    let isFitting =
      trailing.allSatisfy { !$0.text.utf8.contains(UInt8(ascii: "\n")) }
      && !trailing.dropLast().contains(where: \.endsLine)
    return isFitting ? self : AttachedComments(leading: leading + trailing, trailing: [])
  }
}
