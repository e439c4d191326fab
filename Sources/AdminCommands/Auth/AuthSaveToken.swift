internal import ArgumentParser
internal import Diagnostics

struct AuthSaveToken: AdminCommand {
  static let title = "auth save-token"
  static let configuration = CommandConfiguration(
    commandName: "save-token", abstract: "Keep a management token for later runs.",
    discussion: """
      Reads the token from standard input, or asks for it on a terminal. It is kept with mode 0600.

      Example: celestra-admin auth save-token < token.txt
      """)

  @Flag(help: "Replace a token that is there.") var force = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthSaveToken>

  func perform(in session: Session) async throws -> CommandResult {
    let store = try TokenStore(session.world)
    guard force || !store.contains(.management) else {
      throw CommandFailure(
        "a management token is saved already", code: "exists", hint: "Add --force to replace it.")
    }
    let token = try AuthSaveToken.readToken(session)
    try store.save(token, .management)
    let path = store.path(.management)
    return CommandResult(isConfirmation: true, json: ["path": .string(path)], text: "saved in \(path)\n")
  }

  static func readToken(_ session: Session) throws -> String {
    let typed: String
    if let readLine = session.world.console.readLine {
      guard !session.common.noInput else { throw CommandFailure.usage("give the token on standard input") }
      try session.world.console.errors.write("Management token: ")
      typed = readLine() ?? ""
    } else {
      typed = String(decoding: try InputFile.read("-"), as: UTF8.self)
    }
    let token = typed.trimmingWhitespace
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandFailure(
        "that is not a token: it must be one word of visible ASCII characters", code: "bad-token")
    }
    return token
  }
}

extension String {
  var trimmingWhitespace: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
