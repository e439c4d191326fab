import Foundation
import Testing

/// A token goes only to an address from a place that is trusted as far as the token's own place.
@Suite("Tokens and hosts") struct TokenHostTests {
  enum Place: String, CaseIterable, Sendable { case project, dotEnv, user, environment, saved }

  enum Service: String, CaseIterable, Sendable {
    case management, api, webAuth

    var token: String { "token-of-\(rawValue)-c04f1b" }
    var tokenVariable: String {
      switch self {
      case .management: "CLOUDKIT_MANAGEMENT_TOKEN"
      case .api: "CLOUDKIT_API_TOKEN"
      case .webAuth: "CLOUDKIT_WEB_AUTH_TOKEN"
      }
    }
    var addressVariable: String {
      self == .management ? "CLOUDKIT_MANAGEMENT_BASE_URL" : "CLOUDKIT_BASE_URL"
    }
    var addressKey: String { self == .management ? "managementBaseURL" : "baseURL" }
    var command: [String] {
      self == .management ? ["schema", "export"] : ["records", "query", "FeedCategory"]
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var service: Service
    var token: Place
    var address: Place
    var arrives: Bool
    var testDescription: String { "\(service) token in \(token), address in \(address)" }
  }

  /// Each place of an address once with either token, and each service once with either outcome. ServiceAddressTests has
  /// the rule for all combinations.
  static let cases =
    [Place.project, .dotEnv, .user, .environment].flatMap { place in
      [
        Case(service: .management, token: .environment, address: place, arrives: place == .environment),
        Case(service: .management, token: .dotEnv, address: place, arrives: true),
      ]
    }
    + [Service.api, .webAuth].flatMap { service in
      [
        Case(service: service, token: .environment, address: .user, arrives: false),
        Case(service: service, token: .dotEnv, address: .project, arrives: true),
      ]
    } + [Case(service: .management, token: .saved, address: .user, arrives: false)]

  @Test("nothing arrives unless the address is trusted as far as the token", arguments: cases)
  func rule(_ test: Case) async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      let tool = try await setting(test, listener.url, in: folder)
      let outcome = try await tool.run(test.service.command)
      if test.arrives {
        #expect(listener.received.contains(test.service.token), "\(outcome)")
      } else {
        #expect(listener.received.isEmpty)
        #expect(outcome.status == 4)
        #expect(outcome.err.contains("is not sent to \(listener.url)"), "\(outcome.err)")
        #expect(
          outcome.err.contains(
            test.token == .saved ? "Set CLOUDKIT_MANAGEMENT_TOKEN" : "Set \(test.service.addressVariable) "),
          "\(outcome.err)")
      }
      #expect(!(outcome.out + outcome.err).contains(test.service.token))
    }
  }

  @Test("a token is saved with the address of the environment, and sent there only")
  func savedWithItsAddress() async throws {
    try await withScratchFolder { folder in
      let (own, other) = (try Listener(), try Listener())
      var tool = Tool(directory: folder, environment: Self.place)
      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = own.url
      #expect(try await tool.run(["auth", "save-token"], stdin: "token-of-own").status == 0)
      _ = try await tool.run(["schema", "export"])
      #expect(own.received.contains("token-of-own"))

      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = other.url
      let refused = try await tool.run(["schema", "export"])
      #expect(refused.status == 4 && other.received.isEmpty, "\(refused.err)")
      #expect(refused.err.contains("the saved token for \(own.url)"), "\(refused.err)")

      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = nil
      let apple = try await tool.run(["schema", "export"])
      #expect(apple.status == 4 && apple.err.contains("is not sent to https://api."), "\(apple.err)")

      try "CLOUDKIT_MANAGEMENT_BASE_URL=\(other.url)".write(
        toFile: "\(folder)/.env", atomically: true, encoding: .utf8)
      let save = try await tool.run(["auth", "save-token", "--force"], stdin: "token-of-own")
      #expect(save.status == 4 && save.err.contains("is not saved for \(other.url)"), "\(save.err)")
    }
  }

  @Test("a folder sends signed requests to this machine only")
  func signatures() async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      var tool = Tool(directory: folder, environment: Self.place)
      #expect(try await tool.run(["auth", "keygen", "--key-file", "key.pem"]).status == 0)
      tool.environment["CLOUDKIT_KEY_ID"] = "key"
      tool.environment["CLOUDKIT_PRIVATE_KEY_PATH"] = "key.pem"
      // libcurl resolves every name below localhost to this machine; only localhost itself counts as it.
      for (url, arrives) in [("https://x.localhost:\(listener.port)", false), (listener.url, true)] {
        try #"{"cloudkit": {"baseURL": "\#(url)"}}"#.write(
          toFile: "\(folder)/celestra-admin.json", atomically: true, encoding: .utf8)
        let outcome = try await tool.run(["records", "query", "FeedCategory"])
        #expect(listener.received.isEmpty != arrives, "\(outcome.err)")
        #expect(outcome.err.contains("a signed request is not sent to") != arrives, "\(outcome.err)")
      }
    }
  }

  @Test(
    "a file of another user, in a folder above, sends no request anywhere; the user's own and root's do",
    .enabled(if: geteuid() == 0, "only root can change owners"), arguments: ["celestra-admin.json", ".env"])
  func filesOfOthers(_ name: String) async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      let work = "\(folder)/work"
      try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
      let path = "\(folder)/\(name)"
      // A .env applies beside the project file.
      try "{}".write(toFile: "\(folder)/celestra-admin.json", atomically: true, encoding: .utf8)
      let text =
        name == ".env"
        ? "CLOUDKIT_BASE_URL=\(listener.url)\n" : #"{"cloudkit": {"baseURL": "\#(listener.url)"}}"#
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      var tool = Tool(directory: work, environment: Self.place)
      #expect(try await tool.run(["auth", "keygen", "--key-file", "key.pem"]).status == 0)
      tool.environment["CLOUDKIT_KEY_ID"] = "key"
      tool.environment["CLOUDKIT_PRIVATE_KEY_PATH"] = "key.pem"

      #expect(lchown(path, 1234, 1234) == 0)
      let refused = try await tool.run(["records", "query", "FeedCategory"])
      #expect(refused.status == 4 && listener.received.isEmpty, "\(refused.err)")
      #expect(refused.err.contains(name) && refused.err.contains("another user (1234)"), "\(refused.err)")
      #expect(refused.err.contains("Set CLOUDKIT_BASE_URL in the environment"), "\(refused.err)")

      #expect(lchown(path, 0, 0) == 0)
      _ = try await tool.run(["records", "query", "FeedCategory"])
      #expect(!listener.received.isEmpty)
    }
  }

  @Test("the user's own configuration decides where requests go, no matter who owns it")
  func userFile() async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      var tool = Tool(directory: folder, environment: Self.place)
      #expect(try await tool.run(["auth", "keygen", "--key-file", "key.pem"]).status == 0)
      tool.environment["CLOUDKIT_KEY_ID"] = "key"
      tool.environment["CLOUDKIT_PRIVATE_KEY_PATH"] = "key.pem"
      tool.environment["XDG_CONFIG_HOME"] = "\(folder)/config"
      let path = "\(folder)/config/celestra-admin/config.json"
      try FileManager.default.createDirectory(
        atPath: "\(folder)/config/celestra-admin", withIntermediateDirectories: true)
      try #"{"cloudkit": {"baseURL": "\#(listener.url)"}}"#.write(
        toFile: path, atomically: true, encoding: .utf8)
      if geteuid() == 0 { #expect(lchown(path, 1234, 1234) == 0) }
      _ = try await tool.run(["records", "query", "FeedCategory"])
      #expect(!listener.received.isEmpty)
    }
  }

  @Test("plain http leaves this machine only for a host that the environment of the process names")
  func plainHTTP() async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      var tool = Tool(directory: folder, environment: Self.place)
      tool.environment["CLOUDKIT_MANAGEMENT_TOKEN"] = Service.management.token
      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = "http://emulator.localhost:\(listener.port)"
      try "CELESTRA_ADMIN_HTTP_HOSTS=emulator.localhost".write(
        toFile: "\(folder)/.env", atomically: true, encoding: .utf8)
      let refused = try await tool.run(["schema", "export"])
      #expect(refused.status == 4 && listener.received.isEmpty)
      #expect(refused.err.contains("set CELESTRA_ADMIN_HTTP_HOSTS=emulator.localhost"), "\(refused.err)")

      tool.environment["CELESTRA_ADMIN_HTTP_HOSTS"] = "other, emulator.localhost"
      _ = try await tool.run(["schema", "export"])
      #expect(listener.received.contains(Service.management.token))
    }
  }

  @Test("no redirect is followed with a token", arguments: Service.allCases)
  func redirects(_ service: Service) async throws {
    try await withScratchFolder { folder in
      let target = try Listener()
      let first = try Listener(answering: ["HTTP/1.1 307 Temporary Redirect", "Location: \(target.url)/x"])
      var tool = Tool(directory: folder, environment: Self.place)
      tool.environment["CLOUDKIT_API_TOKEN"] = "api"
      tool.environment[service.tokenVariable] = service.token
      tool.environment[service.addressVariable] = first.url
      #expect(try await tool.run(service.command).status != 0)
      #expect(first.received.contains(service.token))
      #expect(target.received.isEmpty)
    }
  }

  @Test("a proxy of the process serves CloudKit calls only, and sees no token")
  func proxy() async throws {
    try await withScratchFolder { folder in
      let proxy = try Listener(answering: ["HTTP/1.1 403 Forbidden"])
      let service = try Listener()
      var tool = Tool(directory: folder, environment: Self.place)
      tool.environment["CLOUDKIT_MANAGEMENT_TOKEN"] = Service.management.token
      try "https_proxy=\(proxy.url)".write(toFile: "\(folder)/.env", atomically: true, encoding: .utf8)
      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = service.url
      tool.environment["HTTPS_PROXY"] = proxy.url
      tool.environment["ALL_PROXY"] = proxy.url
      tool.environment["http_proxy"] = proxy.url
      _ = try await tool.run(["schema", "export"])
      #expect(service.received.contains(Service.management.token))
      for url in ["http://127.0.0.1:\(service.port)/f.xml", "https://feeds.localhost:\(service.port)/f.xml"] {
        _ = try await tool.run(["feed", "inspect", "--allow-private-addresses", url])
      }
      #expect(proxy.received.isEmpty)

      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = nil
      let refused = try await tool.run(["schema", "export"])
      #expect(refused.status == 1)
      #expect(refused.err.contains("the proxy refused the connection with HTTP status 403"), "\(refused.err)")
      #expect(proxy.received.hasPrefix("CONNECT api.icloud.apple.com:443 HTTP/1.1\r\n"), "\(proxy.received)")
      #expect(!proxy.received.contains(Service.management.token))

      tool.environment["HTTPS_PROXY"] = "ftp://ann:secret@proxy.example"
      let unknown = try await tool.run(["schema", "export"])
      #expect(
        unknown.status == 1 && unknown.err.contains("a proxy URL with an unknown scheme"), "\(unknown.err)")
      #expect(!unknown.err.contains("secret"))
    }
  }

  private static let place = [
    "CLOUDKIT_CONTAINER_ID": "iCloud.com.example.App", "CLOUDKIT_TEAM_ID": "TEAM123456",
  ]

  /// The token and the address, each in its place. A web-auth token needs an API token, which alone could go anywhere.
  private func setting(_ test: Case, _ url: String, in folder: String) async throws -> Tool {
    let service = test.service
    var environment = Self.place
    var dotEnv = service == .webAuth ? ["CLOUDKIT_API_TOKEN=api"] : []
    switch test.token {
    case .environment: environment[service.tokenVariable] = service.token
    case .dotEnv: dotEnv.append("\(service.tokenVariable)=\(service.token)")
    default:
      let saved = try await Tool(directory: folder).run(["auth", "save-token"], stdin: service.token)
      try #require(saved.status == 0, "\(saved.err)")
    }
    let json = #"{"cloudkit": {"\#(service.addressKey)": "\#(url)"}}"#
    switch test.address {
    case .environment: environment[service.addressVariable] = url
    case .dotEnv: dotEnv.append("\(service.addressVariable)=\(url)")
    case .project: try write(json, to: "\(folder)/celestra-admin.json")
    default: try write(json, to: "\(folder)/.config/celestra-admin/config.json")
    }
    try write(dotEnv.joined(separator: "\n"), to: "\(folder)/.env")
    return Tool(directory: folder, environment: environment)
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }
}
