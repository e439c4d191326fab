internal import CloudKitModel
internal import Synchronization

/// How many records fit in one answer, as this client learns from the answers that were too large: it does not read
/// 200 records of 1 MB at once (Documentation/reference/web-services.md#limits).
final class AnswerSizes: Sendable {
  /// What was asked for: records with the same fields are of a similar size.
  struct Wanted: Hashable {
    /// `nil` for a lookup, whose names may belong to any type.
    var recordType: String?
    var keys: [String]?
  }

  /// Bytes. The largest possible record fits several times, even with every character escaped.
  static let maxBytes = 32 << 20

  private let limits = Mutex<[Wanted: Int]>([:])

  /// - Parameter asked: `nil` leaves it to the service.
  func limit(for wanted: Wanted, asked: Int?) -> Int? {
    guard let known = limits.withLock({ $0[wanted] }) else { return asked }
    return min(known, asked ?? known)
  }

  /// Allows half as many from now on. Throws the failure when it was about a single record.
  func halve(_ wanted: Wanted, from count: Int, _ failure: ContainerFailure) throws {
    guard count > 1 else { throw failure }
    limits.withLock { $0[wanted] = min($0[wanted] ?? count, count / 2) }
  }
}
