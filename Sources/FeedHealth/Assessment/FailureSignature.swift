internal import FeedFetching
internal import FeedState
internal import HTTPTransport

/// What a failed check has in common with those of other hosts when our own network is the cause
/// (Documentation/reference/feeds.md#own-outage).
enum FailureSignature: Sendable, Hashable {
  case silentNameServer
  case unknownName
  case noConnection
  /// A page in place of the feed, by its ``PageShape``.
  case page(Int)
  /// A redirect to a host that is not recorded for the feed.
  case finalHost(String)
  case untrustedIssuer(String)

  /// The host's name was not resolved.
  var isAboutName: Bool { self == .silentNameServer || self == .unknownName }

  /// A name server that answers does so within this time.
  private static let patience = Duration.seconds(1)

  /// `nil` when the host was reached, or no request was sent.
  init?(_ failure: HTTPFailure) {
    let trace = failure.trace
    switch (failure.kind, trace.step) {
    case (.invalidRequest, _), (.addressForbidden, _), (.cancelled, _), (.resources, _): return nil
    case (.timeout, .started): self = .silentNameServer
    case (_, .started): self = trace.elapsed < Self.patience ? .unknownName : .silentNameServer
    case (_, .resolved): self = .noConnection
    case (_, .connected):
      if let issuer = trace.untrustedIssuer {
        self = .untrustedIssuer(issuer)
      } else if trace.hasCertificate {
        return nil
      } else {
        self = .noConnection
      }
    case (_, .ready), (_, .answered): return nil
    }
  }

  /// - Parameter response: one that is not the feed. Errors say what they mean; only networks send 407 and 511.
  init?(pageIn response: HTTPResponse, of feedURL: String) {
    switch response.status {
    case 407, 511: self = .page(response.status)
    case 200..<300: self = .page(PageShape(response.body, feedURL: feedURL).hash)
    default: return nil
    }
  }
}

extension FetchObservation {
  /// The signature of a check of this feed: for a redirect to a host that is not recorded for it, that host.
  func signature(about target: FeedCheckTarget) -> FailureSignature? {
    guard !isSuccess, let redirectedTo, signature?.isAboutName != true else { return signature }
    let host = HostName.of(redirectedTo)
    let isKnown = host == target.host || target.metadata.redirectURL.map(HostName.of) == host
    let isAnswer =
      httpStatus.map { [404, 410, 429].contains($0) || (500..<511).contains($0) || $0 > 511 } ?? false
    return isKnown || isAnswer ? signature : .finalHost(host)
  }
}

extension FetchObservation {
  /// The page is that of a service which many hosts use to keep programs out.
  var showsKnownWall: Bool { outcome == .inconclusive(.botWall) && detail != "by \(UnlistedWall.name)" }
}

/// The words and marks of a page without addresses, numbers and tokens: what stays the same for each host, because the
/// page of a portal often repeats the address that was asked for.
struct PageShape {
  /// Equal for equal shapes, in one process.
  let hash: Int

  /// Bytes of a page that count.
  private static let maxBytes = 64 << 10
  /// A longer word is a token.
  private static let maxWord = 24

  init(_ body: [UInt8], feedURL: String) {
    var hasher = Hasher()
    let host = Array(HostName.of(feedURL).utf8)
    for word in body.prefix(Self.maxBytes).split(whereSeparator: Self.isSeparator) {
      guard word.count <= Self.maxWord, !word.contains(where: Self.isOfAddress), !word.elementsEqual(host)
      else {
        continue
      }
      for byte in word { hasher.combine(byte) }
      hasher.combine(UInt8(0))
    }
    hash = hasher.finalize()
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte <= 0x20 || separators.contains(byte) }
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || addressBytes.contains(byte)
  }

  private static let separators = Set(#"<>"'=();,"#.utf8)
  private static let addressBytes = Set("./%&?:@+".utf8)
}
