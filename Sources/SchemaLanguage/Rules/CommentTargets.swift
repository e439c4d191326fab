import Diagnostics

/// Finds the target of a `celestra:` comment: the declaration on its line, otherwise the next one in the same
/// record type, otherwise the record type. Above a record type it applies to the whole type, before DEFINE SCHEMA
/// to the file.
struct CommentTargets {
  /// What a comment applies to.
  enum Target: Equatable {
    case file
    /// The declaration's range.
    case declaration(Range<Int>)
    case nothing
  }

  private let source: SourceText
  private let headerEnd: Int
  /// All declarations by their start; of two with the same start, the longer one first.
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
  /// Binary search for the first index that meets the condition, which all following ones must meet too. `count` if
  /// none does.
  func firstIndexBySearch(_ condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
