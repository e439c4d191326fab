/// One request until its response: the redirects that are followed, and a second request for a body that cannot be
/// decoded.
///
/// A class: as a value it would be copied into each of the nested calls that wait for an answer, in thousands of tasks.
final class HTTPExchange {
  private var chain: RedirectChain
  private let request: HTTPRequest
  private let userAgent: String
  private let started = ContinuousClock.now
  /// Why the body of the first response could not be decoded; `nil` until then.
  private var codingFailure: HTTPFailure?

  init(_ request: HTTPRequest, userAgent: String) throws(HTTPFailure) {
    self.request = request
    self.userAgent = userAgent
    chain = try RedirectChain(request, userAgent: userAgent)
  }

  /// The next request to send.
  var hop: HTTPRequest { chain.hop }

  /// The response to return, or `nil` when ``hop`` is now the next request to send.
  func take(_ result: Result<HTTPResponse, HTTPFailure>) throws(HTTPFailure) -> HTTPResponse? {
    let response: HTTPResponse
    do {
      let received = try result.mapError { chain.locating($0) }.get()
      guard let final = try chain.follow(received) else { return nil }
      response = final
    } catch {
      guard request.isLenient, codingFailure == nil, error.isAboutCoding else { throw error }
      codingFailure = error
      chain = try RedirectChain(withoutCoding(), userAgent: userAgent)
      return nil
    }
    guard request.isLenient else { return response }
    guard let codingFailure else { return LenientBodyDecoder.read(response, request.limits) }
    return try LenientBodyDecoder.read(response, request.limits, after: codingFailure)
  }

  private func withoutCoding() -> HTTPRequest {
    var plain = request
    plain.acceptCompressed = false
    plain.headers["Accept-Encoding"] = "identity"
    // The time before includes waiting for other transfers, so the second request has half the time at least.
    let total = request.limits.totalTimeout
    plain.limits.totalTimeout = max(total / 2, total - (ContinuousClock.now - started))
    return plain
  }
}
