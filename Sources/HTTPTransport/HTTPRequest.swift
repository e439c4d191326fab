/// One request, with limits on the time and memory that the server can cost.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Absolute, `http` or `https`.
  public var url: String
  public var headers: HTTPHeaders
  public var body: [UInt8]?
  public var limits: HTTPLimits
  public var addressPolicy: IPAddressPolicy
  /// Accept every content coding that libcurl can decode, and decode it.
  public var acceptCompressed: Bool
  /// Keep the connection open for more requests to the host.
  public var keepsConnection: Bool
  /// Always open a new connection, and close it after the response. When a reused connection ends before the response,
  /// libcurl silently sends the request again, which is wrong for requests that must not be carried out twice.
  public var needsFreshConnection = false
  /// Accept what browsers and feed readers accept although HTTP forbids it: a body with a wrong or missing content
  /// coding, an end of transfer that breaks off, and redirects that only a returned cookie ends. A body longer than
  /// the limits is cut. ``HTTPResponse/flaws`` names what was accepted.
  public var isLenient = false

  public init(
    _ method: String = "GET", url: String, headers: HTTPHeaders = [], body: [UInt8]? = nil,
    limits: HTTPLimits = HTTPLimits(), addressPolicy: IPAddressPolicy = .any, acceptCompressed: Bool = true,
    keepsConnection: Bool = true
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.limits = limits
    self.addressPolicy = addressPolicy
    self.acceptCompressed = acceptCompressed
    self.keepsConnection = keepsConnection
  }
}

/// The limits of time and memory for a response.
public struct HTTPLimits: Sendable, Hashable {
  /// For opening a connection, including TLS; applies to each hop.
  public var connectTimeout: Duration
  /// For the whole request, including redirects and the body.
  public var totalTimeout: Duration
  /// 0 follows none and returns the redirect as the response.
  public var maxRedirects: Int
  /// Bytes of the body after decoding.
  public var maxBodyBytes: Int
  /// Keep only the first bytes of the body in the response; the rest is discarded while it arrives.
  public var keptBodyBytes = Int.max

  public init(
    connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(60), maxRedirects: Int = 0,
    maxBodyBytes: Int = 16 << 20
  ) {
    self.connectTimeout = connectTimeout
    self.totalTimeout = totalTimeout
    self.maxRedirects = maxRedirects
    self.maxBodyBytes = maxBodyBytes
  }
}
