/// Sends HTTP requests. The tool's only way to the network: tests put their own behind it.
public protocol HTTPTransport: Sendable {
  /// Any status is a response; only what kept a whole response from arriving is thrown.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}
