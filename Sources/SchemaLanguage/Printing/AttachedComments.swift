/// The comments that belong to a declaration and move with it.
struct AttachedComments {
  /// A comment, with its place relative to the one before.
  struct Line {
    /// With its marks; a block comment may span lines.
    var text: String
    var isBlock: Bool
    /// Whether an empty line separates it from the comment before.
    var isApart: Bool

    /// Whether nothing can follow on its line.
    var endsLine: Bool { !isBlock || text.utf8.contains(UInt8(ascii: "\n")) }
  }

  /// Comments on separate lines above the declaration.
  var leading: [Line] = []
  /// Comments at the end of the declaration's line.
  var trailing: [Line] = []

  mutating func append(_ other: AttachedComments) {
    leading += other.leading
    trailing += other.trailing
  }

  /// The comments rearranged so that the trailing ones fit on one line: only the last may be a line comment.
  var fitting: AttachedComments {
    let isFitting =
      trailing.allSatisfy { !$0.text.utf8.contains(UInt8(ascii: "\n")) }
      && !trailing.dropLast().contains(where: \.endsLine)
    return isFitting ? self : AttachedComments(leading: leading + trailing, trailing: [])
  }
}
