public import Diagnostics

/// Why a feed is not healthy; ``rule`` has the texts.
///
/// FH01xx: no whole answer. FH02xx: the server answered, but not with the feed. FH03xx: the document. FH04xx: how
/// it is served. FH05xx: the feed's history. FH06xx: the checks themselves.
public enum HealthReason: String, RuleCode {
  case invalidURL = "FH0101"
  case hostNotFound = "FH0102"
  case connectionFailed = "FH0103"
  case tlsFailed = "FH0104"
  case timedOut = "FH0105"
  case tooLarge = "FH0106"
  case addressForbidden = "FH0107"
  case badRedirect = "FH0108"
  case brokenProtocol = "FH0109"
  case truncated = "FH0110"
  case damagedEncoding = "FH0111"
  case tooManyRedirects = "FH0112"

  case notFound = "FH0201"
  case gone = "FH0202"
  case accessDenied = "FH0203"
  case throttled = "FH0204"
  case refused = "FH0205"
  case serverError = "FH0206"
  case unexpectedStatus = "FH0207"
  case botWall = "FH0208"
  case consentPage = "FH0209"
  case loginPage = "FH0210"

  case notAFeed = "FH0301"
  case htmlPage = "FH0302"
  case illFormed = "FH0303"
  case encodingMismatch = "FH0304"
  case noItems = "FH0305"
  case stale = "FH0306"
  case itemIdentity = "FH0307"
  case emptyDocument = "FH0308"
  case ended = "FH0309"
  case futureDates = "FH0310"

  case movedPermanently = "FH0401"
  case slow = "FH0402"
  case httpsAvailable = "FH0403"

  case failingRepeatedly = "FH0501"
  case failingForLong = "FH0502"
  case unreliable = "FH0503"
  case recovering = "FH0504"

  case neglected = "FH0601"

  public var code: String { rawValue }

  /// What is wrong: one clause without a full stop.
  public var explanation: String {
    let summary = rule.summary
    return summary.prefix(1).lowercased() + summary.dropFirst()
  }

  /// What an editor can do about it.
  public var advice: String { rule.help }

  /// One failure of this kind makes a feed down, if a second request confirms it
  /// (Documentation/reference/feeds.md#decisive-reasons).
  var isDecisive: Bool { self == .gone || self == .notAFeed || self == .htmlPage }

  /// What keeps happening while a feed fails. Failures of the same kind have one beginning.
  enum Kind: Sendable, Hashable {
    /// The name or the certificate of the whole host: its duration counts rather than the number of checks.
    case host
    /// Something else is served with success: for a feed that worked lately, it may be there for a moment only.
    case content
    case other
  }

  var kind: Kind {
    switch self {
    case .hostNotFound, .tlsFailed: .host
    case .notAFeed, .htmlPage, .emptyDocument: .content
    default: .other
    }
  }

  /// The server works, but lets only some visitors through: nothing is known about the feed behind.
  var isWall: Bool { self == .botWall || self == .consentPage || self == .loginPage }

  /// No server was reached; the fault may lie in our own network.
  var isConnectionFailure: Bool { self == .hostNotFound || self == .connectionFailed }
}
