import CCurl
import CurlShim

/// Sends HTTP requests. All of the tool's requests go through it, so that tests can replace it.
public protocol HTTPTransport: Sendable {
  /// Returns a response of any status; throws when no complete response arrived.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}

/// Sends HTTP requests with libcurl's multi interface. One thread drives all transfers, connections are kept and
/// shared, and canceling the sending task ends its transfer.
///
/// Only the proxy of its configuration is used, never one from the environment.
public final class CurlTransport: HTTPTransport {
  /// The limits of connections and responses.
  public struct Configuration: Sendable, Hashable {
    /// Transfers that run at once; more wait in a queue, and their timeouts start when they run. Lowered to what the
    /// process's limit of open file descriptors allows, after raising that limit as far as possible. A running
    /// transfer takes about 20 kB and its body, a waiting one 5 kB.
    public var maxConcurrentTransfers: Int
    /// Connections kept open for reuse.
    public var maxConnections: Int
    /// 0 means no limit.
    public var maxConnectionsPerHost: Int
    /// Sent with every request that has no `User-Agent` header.
    public var userAgent: String
    /// A PEM file of the certificate authorities to trust; `nil` means the system's.
    public var certificateAuthorities: String?
    /// Not used for requests with an ``IPAddressPolicy`` other than `any`.
    public var proxies: ProxySettings

    public init(
      maxConcurrentTransfers: Int = 256, maxConnections: Int = 256, maxConnectionsPerHost: Int = 0,
      userAgent: String = "celestra-admin", certificateAuthorities: String? = nil,
      proxies: ProxySettings = .none
    ) {
      self.maxConcurrentTransfers = maxConcurrentTransfers
      self.maxConnections = maxConnections
      self.maxConnectionsPerHost = maxConnectionsPerHost
      self.userAgent = userAgent
      self.certificateAuthorities = certificateAuthorities
      self.proxies = proxies
    }
  }

  private let driver: CurlDriver
  private let userAgent: String

  /// - Throws: `HTTPFailure` of kind `resources` when the system has no thread or memory left.
  public init(_ configuration: Configuration = Configuration()) throws(HTTPFailure) {
    driver = try CurlDriver(configuration)
    userAgent = configuration.userAgent
  }

  deinit { driver.stop() }

  public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let exchange = try HTTPExchange(request, userAgent: userAgent)
    while true {
      if let response = try exchange.take(await driver.run(exchange.hop)) { return response }
    }
  }
}
