/// One request, with the limits that keep a bad server from holding or filling its sender.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Absolute, `http` or `https`.
  public var url: String
  public var headers: HTTPHeaders
  public var body: [UInt8]?
  public var limits: HTTPLimits
  public var addressPolicy: AddressPolicy
  /// Ask for every content coding libcurl can undo, and undo it.
  public var acceptCompressed: Bool
  /// More requests to the host may follow: its connection is kept open for them.
  public var keepsConnection: Bool
  /// Never use a connection that is open already. On one of those libcurl sends a request again, unasked, when it
  /// ends before the answer comes: right for a query, wrong for what must not be carried out twice.
  public var needsFreshConnection = false

  public init(
    _ method: String = "GET", url: String, headers: HTTPHeaders = [], body: [UInt8]? = nil,
    limits: HTTPLimits = HTTPLimits(), addressPolicy: AddressPolicy = .any, acceptCompressed: Bool = true,
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

/// What a server may cost.
public struct HTTPLimits: Sendable, Hashable {
  /// Until a connection, TLS included, is ready. For each hop.
  public var connectTimeout: Duration
  /// For the whole request, redirects and body included.
  public var totalTimeout: Duration
  /// 0 follows none and returns the redirect as the response.
  public var maxRedirects: Int
  /// Bytes of the body after decoding.
  public var maxBodyBytes: Int
  /// Of them, those that the response has, from the first on. The rest is let go as it comes.
  public var keptBodyBytes = Int.max
  /// Slower than this for so long ends the transfer; `nil` leaves it to the total timeout.
  public var lowSpeed: LowSpeed?

  public struct LowSpeed: Sendable, Hashable {
    public var bytesPerSecond: Int
    public var duration: Duration

    public init(bytesPerSecond: Int, duration: Duration) {
      self.bytesPerSecond = bytesPerSecond
      self.duration = duration
    }
  }

  public init(
    connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(60), maxRedirects: Int = 0,
    maxBodyBytes: Int = 16 << 20, lowSpeed: LowSpeed? = nil
  ) {
    self.connectTimeout = connectTimeout
    self.totalTimeout = totalTimeout
    self.maxRedirects = maxRedirects
    self.maxBodyBytes = maxBodyBytes
    self.lowSpeed = lowSpeed
  }
}
