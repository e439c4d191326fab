internal import Platform
internal import XMLReading

/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z as in CloudKit.
package struct FeedDate: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// Parses a date in any format that feeds use. Returns `nil` for anything else; a date is never guessed.
  package init?(_ text: String) {
    var copy = text
    guard let date = copy.withUTF8({ FeedDate($0.trimmed) }) else { return nil }
    self = date
  }

  /// The same for UTF-8 without white space at its ends.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard (3...100).contains(bytes.count) else { return nil }
    let parsed =
      RFC822Date.parse(bytes)?.date ?? ISO8601Date.parse(bytes)?.date ?? FreeFormDate.parse(bytes)?.date
    guard let parsed else { return nil }
    self = parsed
  }

  /// `2026-11-21T05:04:03Z`, in UTC; with milliseconds unless they are 0.
  package var iso8601: String { UTCTime.iso8601(millisecondsSince1970: milliseconds) }
}
