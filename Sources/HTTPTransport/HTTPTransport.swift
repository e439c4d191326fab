import CCurl
import CurlShim

/// Sends HTTP requests. The tool's only way to the network: tests put their own behind it.
public protocol HTTPTransport: Sendable {
  /// Any status is a response; only what kept a whole response from arriving is thrown.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}

/// HTTP by libcurl's multi interface: one thread drives every transfer, connections are kept and shared, and
/// cancelling the sending task ends its transfer.
///
/// Proxies of the environment are ignored: a proxy would hide the peer from ``AddressPolicy``.
public final class CurlTransport: HTTPTransport {
  public struct Configuration: Sendable, Hashable {
    /// Transfers running at once; more wait their turn, and their time starts when it comes. Brought down to what
    /// the process's limit of open descriptors has room for, after raising that limit as far as allowed. A
    /// running transfer takes about 20 kB and its body, a waiting one 5 kB.
    public var maxConcurrentTransfers: Int
    /// Connections kept open for reuse.
    public var maxConnections: Int
    /// 0 sets no limit.
    public var maxConnectionsPerHost: Int
    /// Sent with every request that has none of its own.
    public var userAgent: String
    /// A PEM file of the authorities to trust; `nil` trusts those of the system.
    public var certificateAuthorities: String?

    public init(
      maxConcurrentTransfers: Int = 256, maxConnections: Int = 256, maxConnectionsPerHost: Int = 0,
      userAgent: String = "celestra-admin", certificateAuthorities: String? = nil
    ) {
      self.maxConcurrentTransfers = maxConcurrentTransfers
      self.maxConnections = maxConnections
      self.maxConnectionsPerHost = maxConnectionsPerHost
      self.userAgent = userAgent
      self.certificateAuthorities = certificateAuthorities
    }
  }

  private let driver: CurlDriver
  private let userAgent: String

  /// Throws when the system has no thread or memory for it.
  public init(_ configuration: Configuration = Configuration()) throws(HTTPFailure) {
    driver = try CurlDriver(configuration)
    userAgent = configuration.userAgent
  }

  deinit { driver.stop() }

  public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    var chain = try RedirectChain(request, userAgent: userAgent)
    while true {
      let response = try await driver.run(chain.hop)
      guard let final = try chain.follow(response) else { continue }
      return final
    }
  }
}
