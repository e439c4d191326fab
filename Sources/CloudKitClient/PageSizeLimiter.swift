internal import CloudKitModel
internal import Synchronization

/// Limits the number of records in a response, so that the client does not read 200 records of 1 MB at once. Halves
/// the number when a response was too large.
final class PageSizeLimiter: Sendable {
  /// The record type and fields of a request. Records with the same fields have similar sizes.
  struct RequestKind: Hashable {
    /// `nil` for a lookup, whose names may belong to any type.
    var recordType: String?
    var keys: [String]?
  }

  /// The maximum size of a response in bytes. The largest possible record fits several times, even if every
  /// character is escaped.
  static let maxBytes = 32 << 20

  private let limits = Mutex<[RequestKind: Int]>([:])

  /// - Parameter asked: the requested number; `nil` uses the service's default.
  func limit(for kind: RequestKind, asked: Int?) -> Int? {
    guard let known = limits.withLock({ $0[kind] }) else { return asked }
    return min(known, asked ?? known)
  }

  /// Allows half as many records from now on. Throws the failure if a single record was too large.
  func halve(_ kind: RequestKind, from count: Int, _ failure: ContainerFailure) throws {
    guard count > 1 else { throw failure }
    limits.withLock { $0[kind] = min($0[kind] ?? count, count / 2) }
  }
}
