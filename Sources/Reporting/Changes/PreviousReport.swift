internal import Diagnostics

/// The earlier report that a new one is compared with, read from its file.
public struct PreviousReport: Sendable {
  let snapshot: ReportSnapshot

  /// - Parameter name: the file, for the failure.
  ///
  /// Throws ``CommandFailure`` when the file is not a report with data in it.
  public init(_ bytes: [UInt8], name: String) throws {
    do {
      snapshot = try Self.snapshot(in: bytes)
    } catch {
      throw CommandFailure(
        "cannot compare with \(name): \(error)", code: "not-a-report",
        hint: "Give the file that 'report --output FILE.html' wrote, or leave out --since.")
    }
  }

  /// The element that holds the data. No other text of a page can contain it: `<` is escaped.
  static let start: StaticString = "<script type=\"application/json\" id=\"report-data\">"
  static let end: StaticString = "</script>"

  private static func snapshot(in bytes: [UInt8]) throws(UnreadableReportError) -> ReportSnapshot {
    guard let place = bytes.firstRange(of: Array(start.description.utf8)) else { throw .noReport }
    let rest = bytes[place.upperBound...]
    guard let end = rest.firstRange(of: Array(end.description.utf8)) else { throw .damaged }
    let data = Array(rest[..<end.lowerBound])
    let json: JSONValue
    do { json = try JSONValue(parsing: data) } catch { throw .damaged }
    guard !json.isNull else { throw .withoutData }
    return try ReportSnapshot(json)
  }
}
