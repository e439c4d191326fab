/// What a browser asks before a page of another origin may talk to this server, and what it wants to see in every
/// answer (Fetch Standard, section 3.3). Pages that use CloudKit JS depend on it, and so does whoever points them
/// here. The management API has no part in it: no page has business there.
enum CrossOrigin {
  /// The answer to the question whether a request would be taken, if that is what this is.
  static func preflight(_ request: EmulatorRequest) -> EmulatorReply? {
    guard request.method == "OPTIONS", let origin = request.header("Origin"),
      request.header("Access-Control-Request-Method") != nil
    else { return nil }
    var reply = EmulatorReply(status: 204)
    reply.headers = [
      ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
      ("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
      ("Access-Control-Allow-Headers", request.header("Access-Control-Request-Headers") ?? "*"),
      ("Access-Control-Max-Age", "86400"),
    ]
    return reply
  }

  /// Lets the page read the answer, the next session token included.
  static func admit(_ request: EmulatorRequest, to reply: inout EmulatorReply) {
    guard let origin = request.header("Origin") else { return }
    reply.headers += [
      ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
      (
        "Access-Control-Expose-Headers",
        "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID, Retry-After"
      ),
    ]
  }
}
