package import Diagnostics

/// The reasons why a feed is not healthy; ``rule`` has the texts.
///
/// FH01xx: no whole answer. FH02xx: the server answered, but not with the feed. FH03xx: the document. FH04xx: how
/// it is served. FH05xx: the feed's history. FH06xx: the checks themselves.
///
/// An example is the exchanges of one or more checks: the first on 2 March 2026, each later one a day after the one before.
/// `no answer: KIND` stands for a request that failed, with the failure's kind.
package enum HealthReason: String, RuleCode {
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
  case originDown = "FH0211"
  case originTLS = "FH0212"
  case originNotFound = "FH0213"

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
  case bridgeError = "FH0311"

  case movedPermanently = "FH0401"
  case slow = "FH0402"
  case httpsAvailable = "FH0403"

  case failingRepeatedly = "FH0501"
  case failingForLong = "FH0502"
  case unreliable = "FH0503"
  case recovering = "FH0504"
  case refusedForLong = "FH0505"

  case neglected = "FH0601"

  package static let page = RulePage(.health, PackageResources.HealthRules_md)

  package var code: String { rawValue }

  /// The problem, as one clause without a full stop.
  package var explanation: String {
    let summary = rule.summary
    return summary.prefix(1).lowercased() + summary.dropFirst()
  }

  package var advice: String { rule.help }

  /// One failure of this kind makes a feed down, if a second request confirms it.
  package var isDecisive: Bool { self == .gone || self == .notAFeed || self == .htmlPage }

  /// The kinds of failures. Consecutive failures of one kind count as one failure with one start time.
  package enum Kind: Sendable, Hashable {
    /// The host's name or certificate. Besides the number of checks its duration counts.
    case host
    /// Other content is served successfully. For a feed that worked recently, this may be temporary.
    case content
    case other
  }

  package var kind: Kind {
    switch self {
    case .hostNotFound, .tlsFailed: .host
    case .notAFeed, .htmlPage, .emptyDocument: .content
    default: .other
    }
  }

  /// The family "refused": the server works, but does not let us through, so nothing is known about the feed.
  package var isRefusal: Bool {
    [.accessDenied, .botWall, .consentPage, .loginPage].contains(self)
  }

  /// The check says nothing about the feed, and is not counted as a failure.
  package var isInconclusive: Bool { isRefusal || self == .throttled || self == .tooLarge }

  /// No server was reached; the fault may lie in our own network.
  package var isConnectionFailure: Bool { self == .hostNotFound || self == .connectionFailed }
}
