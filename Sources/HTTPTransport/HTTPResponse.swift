/// A complete response; after redirects, the last one.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  /// After decoding, when the request asked for compression.
  public var body: [UInt8]
  /// The URL of the body, after redirects.
  public var finalURL: String
  /// The redirects that were followed, in order.
  public var redirects: [Redirect]
  /// `1.0`, `1.1`, `2` or `3`; `nil` when unknown.
  public var httpVersion: String?
  /// From the first connection attempt to the last byte, over all hops.
  public var totalTime: Duration
  /// The address of the last hop's server, as text.
  public var remoteAddress: String?
  /// The network of ``remoteAddress``.
  public var network: IPNetwork? { remoteAddress.flatMap(IPNetwork.init) }
  /// What a lenient request accepted; see ``HTTPRequest/isLenient``.
  public var flaws: Set<Flaw> = []

  /// A deviation that does not keep the body from being read.
  public enum Flaw: Sendable, Hashable, CaseIterable {
    /// The transfer broke off before its announced end.
    case endedEarly
    /// The transfer did not end within the time limit. The body is what arrived until then.
    case timedOut
    /// Only the first bytes were read, up to the request's own limits.
    case cut
    /// The body is not in the content coding that its header declares.
    case wrongCoding
  }

  /// One redirect that was followed.
  public struct Redirect: Sendable, Hashable {
    /// 301, 302, 303, 307 or 308.
    public var status: Int
    public var from: String
    public var to: String

    public init(status: Int, from: String, to: String) {
      self.status = status
      self.from = from
      self.to = to
    }

    /// True when the server asks clients to use the new URL from now on (RFC 9110, sections 15.4.2 and 15.4.9).
    public var isPermanent: Bool { status == 301 || status == 308 }
  }

  public init(
    status: Int, headers: HTTPHeaders = [], body: [UInt8] = [], finalURL: String, redirects: [Redirect] = [],
    httpVersion: String? = nil, totalTime: Duration = .zero, remoteAddress: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.finalURL = finalURL
    self.redirects = redirects
    self.httpVersion = httpVersion
    self.totalTime = totalTime
    self.remoteAddress = remoteAddress
  }
}
