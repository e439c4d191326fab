/// One request, with limits on the time and memory that the server can cost.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Absolute, `http` or `https`.
  package var url: String
  package var headers: HTTPHeaders
  /// The `If-None-Match` and `If-Modified-Since` of an address that redirects may lead to. Those in ``headers`` are for
  /// ``url`` alone, because validators hold for the address that gave them (RFC 9110, section 8.8).
  package var validators: (url: String, headers: HTTPHeaders)?
  package var body: [UInt8]?
  package var limits: HTTPLimits
  package var addressPolicy: IPAddressPolicy
  /// Accept every content coding that libcurl can decode, and decode it.
  package var acceptCompressed: Bool
  package var keepsConnection: Bool
  /// Always open a new connection, and close it after the response. When a reused connection ends before the response,
  /// libcurl silently sends the request again, which is wrong for requests that must not be carried out twice.
  package var needsFreshConnection = false
  /// Accept what browsers and feed readers accept although HTTP forbids it: a body with a wrong or missing content
  /// coding, an end of transfer that breaks off, and redirects that only a returned cookie ends. A body longer than
  /// the limits is cut. ``HTTPResponse/flaws`` names what was accepted.
  package var isLenient = false

  /// The cookies of the redirects before, as libcurl lists them; `nil` keeps none. Some sites set a cookie and redirect to
  /// the same address until it is returned.
  var cookies: [String]?

  package init(
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

package struct HTTPLimits: Sendable, Hashable {
  /// For opening a connection, including TLS; applies to each hop.
  package var connectTimeout: Duration
  /// For the whole request, including redirects and the body.
  package var totalTimeout: Duration
  /// 0 follows none and returns the redirect as the response.
  package var maxRedirects: Int
  /// Bytes of the body after decoding.
  package var maxBodyBytes: Int
  /// Keep only the first bytes of the body in the response; the rest is discarded while it arrives.
  package var keptBodyBytes = Int.max

  package init(
    connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(60), maxRedirects: Int = 0,
    maxBodyBytes: Int = 16 << 20
  ) {
    self.connectTimeout = connectTimeout
    self.totalTimeout = totalTimeout
    self.maxRedirects = maxRedirects
    self.maxBodyBytes = maxBodyBytes
  }
}
