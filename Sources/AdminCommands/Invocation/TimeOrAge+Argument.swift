internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine

/// The value of `--before`: `2026-11-01`, `2026-11-01T08:00:00Z`, or `30d` for 30 days ago.
extension TimeOrAge {
  /// Throws a usage error for other text. A number alone could mean either, and is refused.
  static func parse(_ text: String) throws -> TimeOrAge {
    if text.contains(where: { !$0.isNumber && $0 != "." }) {
      if let time = Timestamp(text: text) { return .time(time) }
      if let age = try? DurationParser.parse(text) { return .age(age) }
    }
    throw ValidationError("'\(text)' is neither a time such as 2026-11-01 nor an age such as 30d")
  }
}
