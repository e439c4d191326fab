internal import HTTPTransport

/// Sends the start and end of a run to a healthchecks-compatible service. A failed ping never affects the run.
struct MonitoringPing: Sendable {
  /// The maximum time for all attempts of a ping, by which the end of a run may be delayed.
  static let timeLimit = Duration.seconds(10)
  private static let maxAttempts = 5

  private let address: MonitoringPingURL
  private let run: String
  private let transport: any HTTPTransport
  private let wait: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  /// - run: a random UUID in lower case, which identifies the run.
  /// - wait: waits between attempts.
  init(
    to address: MonitoringPingURL, run: String, transport: any HTTPTransport,
    wait: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.address = address
    self.run = run
    self.transport = transport
    self.wait = wait
  }

  /// Sends a ping. Returns why it failed, without any part of the URL; `nil` on success.
  func send(_ signal: MonitoringPingEvent, body: String = "") async -> String? {
    let started = ContinuousClock.now
    var reason = "no attempt was made"
    for attempt in 1...Self.maxAttempts {
      let rest = Self.timeLimit - (ContinuousClock.now - started)
      guard rest > .zero else { break }
      let (failure, isTransient) = await attemptToSend(signal, body: body, within: rest)
      guard let failure else { return nil }
      reason = failure
      guard isTransient, attempt < Self.maxAttempts else { break }
      do { try await wait(.milliseconds(250 << (attempt - 1))) } catch { break }
    }
    return reason
  }

  private func attemptToSend(
    _ signal: MonitoringPingEvent, body: String, within limit: Duration
  ) async -> (failure: String?, isTransient: Bool) {
    // Do not follow redirects, which would send the run's summary to a URL that is not configured.
    let request = HTTPRequest(
      "POST", url: address.text(of: signal, run: run), headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Array(body.utf8),
      limits: HTTPLimits(connectTimeout: limit, totalTimeout: limit, maxBodyBytes: 1 << 16))
    do {
      let response = try await transport.send(request)
      if (200..<300).contains(response.status) { return (nil, false) }
      let isTransient = response.status >= 500 || [408, 429].contains(response.status)
      return ("the service replied with status \(response.status)", isTransient)
    } catch {
      return (error.kind.rawValue, error.kind != .cancelled && error.kind != .invalidRequest)
    }
  }
}
