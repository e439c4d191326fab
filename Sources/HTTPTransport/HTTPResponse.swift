/// A whole response: the last one, when redirects were followed.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  /// After decoding, when the request asked for compression.
  public var body: [UInt8]
  /// Where the body came from, after redirects.
  public var finalURL: String
  /// The hops that were followed, in order.
  public var redirects: [Redirect]
  /// `1.0`, `1.1`, `2` or `3`; `nil` when unknown.
  public var httpVersion: String?
  /// From the first connection attempt to the last byte, all hops together.
  public var totalTime: Duration
  /// The peer of the last hop, as text.
  public var remoteAddress: String?

  /// One hop that was followed.
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

    /// The sender asks for the new address to be kept (RFC 9110, sections 15.4.2 and 15.4.9).
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
