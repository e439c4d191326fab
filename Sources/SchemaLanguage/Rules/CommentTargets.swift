import Diagnostics

/// Finds what a `celestra:` comment speaks for: the declaration on its own line, else the next one of the same record
/// type, else the type it stands in or ends with. Above a record type it is the whole type, before DEFINE SCHEMA the
/// file.
struct CommentTargets {
  enum Target: Equatable {
    case file
    /// The declaration's range.
    case declaration(Range<Int>)
    case nothing
  }

  private let source: SourceText
  private let headerEnd: Int
  /// Every declaration, by where it starts; of two that start together the wider comes first.
  private let declarations: [Range<Int>]
  private let types: [Range<Int>]

  init(_ parsed: ParsedSchema) {
    source = parsed.source
    headerEnd = parsed.headerRange.upperBound
    var ranges = parsed.roles.map(\.range)
    for type in parsed.recordTypes {
      ranges.append(type.range)
      ranges += type.fields.map(\.range) + type.grants.map(\.range)
    }
    declarations = ranges.sorted { $0.lowerBound < $1.lowerBound }
    types = parsed.recordTypes.map(\.range)
  }

  func target(of comment: Comment) -> Target {
    let place = comment.range.lowerBound
    if place < headerEnd { return .file }
    let next = declarations.firstIndexBySearch { $0.lowerBound >= place }
    let last = next > 0 ? declarations[next - 1] : nil
    let type = typeBefore(place)
    // After `);`, on its line.
    if let type, let last, last.lowerBound < type.upperBound, place >= type.upperBound,
      isOnLine(of: type.upperBound, place)
    {
      return .declaration(type)
    }
    if let last, isOnLine(of: last.lowerBound, place) { return .declaration(last) }
    let following = next < declarations.count ? declarations[next] : nil
    // Before `);`, with nothing in between.
    if let type, place < type.upperBound, following.map({ $0.lowerBound >= type.upperBound }) ?? true {
      return .declaration(type)
    }
    return following.map(Target.declaration) ?? .nothing
  }

  /// The last record type that starts before an offset.
  private func typeBefore(_ offset: Int) -> Range<Int>? {
    let next = types.firstIndexBySearch { $0.lowerBound >= offset }
    return next > 0 ? types[next - 1] : nil
  }

  private func isOnLine(of start: Int, _ place: Int) -> Bool {
    source.lineNumber(at: start) == source.lineNumber(at: place)
  }
}

extension Array {
  /// The first index for which the condition holds, where it holds for all that follow; the count if for none.
  fileprivate func firstIndexBySearch(_ condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
