internal import FeedFetching
internal import FeedState
internal import HTTPTransport

/// What a failed check has in common with those of other hosts when our own network is the cause
/// (Documentation/reference/feeds.md#own-outage).
struct FailureSignature: Sendable, Hashable {
  let kind: LocalOutage.Signature
  /// What must be equal for several hosts: the ``PageShape``, the host, the issuer or the certificate.
  let mark: String

  init(_ kind: LocalOutage.Signature, _ mark: String = "") {
    self.kind = kind
    self.mark = mark
  }

  /// The host's name was not resolved.
  var isAboutName: Bool { kind == .silentNameServer || kind == .unknownNames }

  /// The host was not reached, which says the same about each of its feeds.
  var isOfHost: Bool { isAboutName || kind == .noConnection }

  /// `nil` when the host was reached, or no request was sent.
  init?(_ failure: HTTPFailure, of feedURL: String) {
    let trace = failure.trace
    switch (failure.kind, trace.step) {
    // A name that looks public has no address that our own policy allows.
    case (.addressForbidden, _) where HostName.isPublic(feedURL): self.init(.privateAddress)
    case (.invalidRequest, _), (.addressForbidden, _), (.cancelled, _), (.resources, _): return nil
    case (.timeout, .started): self.init(.silentNameServer)
    case (_, .started): self.init(trace.isUnanswered ? .silentNameServer : .unknownNames)
    case (_, .resolved): self.init(.noConnection)
    case (_, .connected):
      if let issuer = trace.untrustedIssuer {
        self.init(.untrustedIssuer, issuer)
      } else if let certificate = trace.foreignCertificate {
        self.init(.foreignCertificate, "\(certificate)")
      } else if trace.hasCertificate {
        return nil
      } else {
        self.init(.noConnection)
      }
    // Without TLS a network may accept the connection in the host's place.
    case (_, .ready) where !trace.isSecure: self.init(.noAnswer)
    case (_, .ready), (_, .answered): return nil
    }
  }

  /// - Parameter page: one that is not the feed. Errors say what they mean; only networks send 407 and 511.
  init?(_ page: PageShape, status: Int) {
    switch status {
    case 407, 511: self.init(.foreignPage, "\(status)")
    case 200..<300: self.init(.foreignPage, "\(page.hash)")
    default: return nil
    }
  }
}

extension FetchObservation {
  /// The signature of a check of this feed: for a redirect to a host that is not recorded for it, that host.
  func signature(about target: FeedCheckTarget) -> FailureSignature? {
    guard !isSuccess, let redirectedTo, signature?.isAboutName != true else { return signature }
    let host = HostName.of(redirectedTo)
    // A host that redirects to itself has answered.
    if host == target.host, signature?.kind == .noAnswer { return nil }
    let isKnown = host == target.host || target.metadata.redirectURL.map(HostName.of) == host
    let isAnswer =
      httpStatus.map { [404, 410, 429].contains($0) || (500..<511).contains($0) || $0 > 511 } ?? false
    return isKnown || isAnswer ? signature : FailureSignature(.foreignHost, host)
  }

  /// The check waits for the end of its sample, because the host may not have been reached, or not until its answer ended.
  func mustWait(about target: FeedCheckTarget) -> Bool {
    signature(about: target) != nil || failure.map { [.connectionFailed, .timedOut].contains($0) } ?? false
  }

  /// The page is that of a service which many hosts use to keep programs out.
  var showsKnownWall: Bool { outcome == .inconclusive(.botWall) && detail != "by \(UnlistedWall.name)" }
}

/// The tags and the title of a page, or its words if it has no tags, without addresses, numbers and tokens: what stays the
/// same for each host, because the page of a portal often repeats the address that was asked for, or has something new.
struct PageShape {
  /// Equal for equal shapes, in one process.
  let hash: Int

  /// Bytes of a page that count.
  private static let maxBytes = 64 << 10
  /// A longer word is a token.
  private static let maxWord = 24

  init(_ body: [UInt8], feedURL: String) {
    let host = Array(HostName.of(feedURL).utf8)
    func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
      text.split(whereSeparator: Self.isSeparator).filter { word in
        word.count <= Self.maxWord && !word.contains(where: Self.isOfAddress) && !word.elementsEqual(host)
      }
    }
    let start = body.prefix(Self.maxBytes)
    let tags = start.split(separator: UInt8(ascii: "<")).filter { Self.isName($0.first ?? 0) }
    let parts = tags.flatMap { tag -> [ArraySlice<UInt8>] in
      let name = tag.prefix(while: Self.isName)
      let isTitle = String(decoding: name, as: UTF8.self).lowercased() == "title"
      return [name] + (isTitle ? words(of: tag.drop { $0 != UInt8(ascii: ">") }) : [])
    }
    hash = (tags.isEmpty ? words(of: start) : parts).hashValue
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
  private static func isSeparator(_ byte: UInt8) -> Bool { byte <= 0x20 || separators.contains(byte) }
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || addressBytes.contains(byte)
  }

  private static let separators = Set(#"<>"'=();,"#.utf8)
  private static let addressBytes = Set("./%&?:@+".utf8)
}
