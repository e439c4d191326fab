import CCurl
import CurlShim

/// Sends HTTP requests. All of the tool's requests go through it, so that tests can replace it.
package protocol HTTPTransport: Sendable {
  /// Returns a response of any status; throws when no complete response arrived.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

  /// Whether a name has an address now.
  func resolves(_ host: String) async -> Bool
}

extension HTTPTransport {
  /// For transports without name servers.
  package func resolves(_ host: String) async -> Bool { true }
}

/// Sends HTTP requests with libcurl's multi interface. One thread drives all transfers, connections are kept and
/// shared, and canceling the sending task ends its transfer.
///
/// Only the proxy of its configuration is used, never one from the environment.
package final class CurlTransport: HTTPTransport {
  package struct Configuration: Sendable, Hashable {
    /// Transfers that run at once; more wait in a queue, and their timeouts start when they run. Lowered to what the
    /// process's limit of open file descriptors allows, after raising that limit as far as possible. A running
    /// transfer takes about 20 kB and its body, a waiting one 5 kB.
    package var maxConcurrentTransfers: Int
    /// A PEM file of the certificate authorities to trust; `nil` means the system's.
    package var certificateAuthorities: String?
    /// Not used for requests with an ``IPAddressPolicy`` other than `any`.
    package var proxies: ProxySettings

    package init(
      maxConcurrentTransfers: Int = 256, certificateAuthorities: String? = nil, proxies: ProxySettings = .none
    ) {
      self.maxConcurrentTransfers = maxConcurrentTransfers
      self.certificateAuthorities = certificateAuthorities
      self.proxies = proxies
    }
  }

  private let driver: CurlDriver

  /// - Throws: `HTTPFailure` of kind `resources` when the system has no thread or memory left.
  package init(_ configuration: Configuration = Configuration()) throws(HTTPFailure) {
    driver = try CurlDriver(configuration)
  }

  deinit { driver.stop() }

  package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let exchange = try HTTPExchange(request)
    while true {
      let result = await driver.run(exchange.hop)
      if let response = try exchange.take(await explained(result, exchange.hop)) { return response }
    }
  }

  package func resolves(_ host: String) async -> Bool { await NameLookup.ask(host) == .found }

  /// Says of a name that was not resolved whether no name server answered.
  private func explained(_ result: Result<HTTPResponse, HTTPFailure>, _ hop: HTTPRequest) async
    -> Result<HTTPResponse, HTTPFailure>
  {
    guard hop.isLenient, case .failure(var failure) = result, failure.kind == .dns,
      let host = URLParts(hop.url)?.host, await NameLookup.ask(host) != .unknown
    else { return result }
    failure.trace.isUnanswered = true
    failure.message = "the name servers give no answer about \(host)"
    return .failure(failure)
  }
}

/// One request until its response: the redirects that are followed, and a second request for a body that cannot be
/// decoded.
///
/// A class: as a value it would be copied into each of the nested calls that wait for an answer, in thousands of tasks.
private final class HTTPExchange {
  private var chain: RedirectChain
  private let request: HTTPRequest
  /// Why the body of the first response could not be decoded; `nil` until then.
  private var codingFailure: HTTPFailure?

  init(_ request: HTTPRequest) throws(HTTPFailure) {
    self.request = request
    chain = try RedirectChain(request)
  }

  var hop: HTTPRequest { chain.hop }

  /// The response to return, or `nil` when ``hop`` is now the next request to send.
  func take(_ result: Result<HTTPResponse, HTTPFailure>) throws(HTTPFailure) -> HTTPResponse? {
    let response: HTTPResponse
    do {
      let received = try result.mapError { chain.locating($0) }.get()
      guard let final = try chain.follow(received) else { return nil }
      response = final
    } catch {
      let isAboutCoding = [.encoding, .unknownCoding, .extraBytes].contains(error.kind)
      guard request.isLenient, error.kind != .cancelled, codingFailure != nil || isAboutCoding else {
        throw error
      }
      // Whatever happens to the second request, the body of the first could not be decoded.
      if let codingFailure { throw codingFailure }
      codingFailure = error
      chain = try RedirectChain(withoutCoding(after: error.trace.elapsed))
      return nil
    }
    guard request.isLenient else { return response }
    guard let codingFailure else { return try LenientBodyDecoder.read(response, request.limits) }
    return try LenientBodyDecoder.read(response, request.limits, after: codingFailure)
  }

  /// Both requests together have the time of one.
  private func withoutCoding(after elapsed: Duration) -> HTTPRequest {
    var plain = request
    plain.acceptCompressed = false
    plain.headers["Accept-Encoding"] = "identity"
    plain.limits.totalTimeout = max(.seconds(1), request.limits.totalTimeout - elapsed)
    return plain
  }
}
