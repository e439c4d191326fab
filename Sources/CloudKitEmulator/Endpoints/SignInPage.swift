internal import Cryptography
internal import LocalContainer
internal import WebServicesWire

/// A replacement for Apple's sign-in page (Documentation/reference/web-services.md#api-tokens-and-users): issues a
/// token for an invented user. The page that opened it gets the token in a message, as CloudKit JS expects.
enum SignInPage {
  static let path = "/sign-in"
  private static let tokenPrefix = "demo-user-"

  /// The user of a token that the page issued; `nil` for other tokens.
  static func identity(_ token: String) -> CallerIdentity? {
    guard token.hasPrefix(tokenPrefix), isName(token.dropFirst(tokenPrefix.count)) else { return nil }
    return .user(holding: Secret(token))
  }

  /// Whether the name is short and needs no escaping in HTML or a URL.
  private static func isName(_ name: Substring) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  static func reply(to request: EmulatorRequest) throws -> EmulatorReply {
    guard request.method == "GET" else { throw MethodNotAllowedError(allowed: ["GET"]) }
    let name = request.query.map(PercentEncoding.queryItems)?["user"]
    let content = name.flatMap { isName($0[...]) ? welcome($0) : nil } ?? question
    let page =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign in</title>\(content)</html>\n"
    return EmulatorReply(
      status: 200, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(page.utf8))
  }

  private static let question = """
    <form action="\(path)"><p>An emulator of CloudKit asks who you are. Nobody here has a password, and nothing is \
    sent to Apple.</p><p><label>User <input name="user" value="demo" maxlength="64" pattern="[A-Za-z0-9._\\-]+" \
    required></label> <button>Sign in</button></p></form>
    """

  private static func welcome(_ name: String) -> String {
    let token = tokenPrefix + name
    return """
      <p>Signed in as \(name), whose web-auth token is <code>\(token)</code>.</p>\
      <script>window.opener?.postMessage({ckWebAuthToken: "\(token)", ckSession: "\(token)"}, "*")</script>
      """
  }
}

extension CallerIdentity {
  /// A user whose record name is derived from the token.
  static func user(holding token: Secret) -> CallerIdentity {
    CallerIdentity(userRecordName: "_" + SHA256.hex("user of \(token.exposed)").prefix(32))
  }
}
