internal import Logging

struct EmulatorResponder: Sendable {
  let emulator: Emulator
  /// The maximum size of a body in bytes, for assets and for all other requests.
  let bodyLimit: Int
  let webLimit: Int
  let logger: Logger

  func reply(to request: IncomingRequest) async -> EmulatorReply {
    let start = ContinuousClock.now
    let incoming = await read(request)
    let reply = await emulator.reply(to: incoming)
    log(incoming, reply, ContinuousClock.now - start)
    return reply
  }

  private func read(_ request: IncomingRequest) async -> EmulatorRequest {
    var incoming = EmulatorRequest(
      request.method, request.target, headers: Dictionary(request.headers) { $1 },
      origin: "http://\(request.host ?? "127.0.0.1")")
    do {
      incoming.body = try await request.body(
        upTo: incoming.path.hasPrefix(AssetStore.root) ? bodyLimit : webLimit)
    } catch {
      incoming.bodyProblem = error
    }
    return incoming
  }

  /// Logs method, path, status and duration; never a body, a query or a header.
  private func log(_ request: EmulatorRequest, _ reply: EmulatorReply, _ duration: Duration) {
    let level: Logger.Level = reply.explanation == nil ? .debug : .info
    logger.log(
      level: level, "\(request.method) \(request.path)",
      metadata: [
        "status": "\(reply.status)", "explanation": "\(reply.explanation ?? "-")", "duration": "\(duration)",
        "uuid": "\(reply.headers.last?.value ?? "-")",
      ])
  }
}
