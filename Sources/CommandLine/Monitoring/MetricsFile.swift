internal import Diagnostics
internal import Platform

/// The file of `--metrics`: replaced whole after each run, in one step, so that a collector never reads half of it.
struct MetricsFile: Sendable {
  let path: String
  /// Bytes of a file that is read back. One of this tool has a few kilobytes.
  private static let sizeLimit = 1 << 20

  /// The file of the run before; `nil` where there is none, or where it cannot be read.
  private var former: String? {
    // Only the time of the last success is taken from it, and a job's result must not depend on this file.
    guard let bytes = try? RegularFile.read(path, upTo: Self.sizeLimit) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Throws ``CommandFailure`` naming the file and the reason.
  func write(_ metrics: RunMetrics) throws { try OutputFile.write(metrics.text(after: former), to: path) }
}
