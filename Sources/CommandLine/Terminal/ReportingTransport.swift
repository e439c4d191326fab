internal import Diagnostics
package import HTTPTransport

/// Says which page or feed is being fetched, for as long as that takes.
private struct ReportingTransport: HTTPTransport {
  let base: any HTTPTransport
  let waits: WaitReporter

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let ended = waits.begin(Self.wait(for: request))
    defer { ended() }
    return try await base.send(request)
  }

  /// Without the query and what stands before the host, which may be secret.
  private static func wait(for request: HTTPRequest) -> Wait {
    guard let url = URLParts(request.url) else {
      return Wait("fetching a page", limit: request.limits.totalTimeout)
    }
    return Wait(
      "fetching \(url.host)", detail: "fetching \(url.host)\(url.path)", limit: request.limits.totalTimeout)
  }
}

extension CommandContext {
  /// A transport that shows which page or feed is being fetched, once that has taken a second.
  package func reporting(_ transport: any HTTPTransport) -> any HTTPTransport {
    ReportingTransport(base: transport, waits: waits)
  }
}
