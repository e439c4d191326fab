internal import Diagnostics
internal import Platform

/// The file of `--metrics`. Each run replaces it atomically, so that a collector never reads an incomplete file.
struct MetricsFile: Sendable {
  let path: String
  /// The maximum size in bytes of a file that is read back. This tool's files have a few kilobytes.
  private static let sizeLimit = 1 << 20

  /// The file of the previous run; `nil` if it is missing or unreadable.
  private var former: String? {
    // Ignore errors: only the time of the last success is read from it, and the job must not fail because of it.
    guard let bytes = try? RegularFile.read(path, upTo: Self.sizeLimit) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Throws ``FileFailure`` naming the file and the reason.
  func write(_ metrics: JobRunMetrics) throws { try OutputFile.write(metrics.text(after: former), to: path) }
}
