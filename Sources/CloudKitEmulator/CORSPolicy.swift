/// Cross-origin resource sharing (CORS; Fetch Standard, section 3.3): answers the browser's preflight requests and
/// adds the headers that let a page of another origin read a reply. Pages that use CloudKit JS need it. The
/// management API does not support it, because no page uses it.
enum CORSPolicy {
  /// The reply to a preflight request; `nil` if the request is not one.
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

  /// Adds the headers that let the page read the reply and the next session token in it.
  static func addHeaders(to reply: inout EmulatorReply, for request: EmulatorRequest) {
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
