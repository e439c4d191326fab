import CloudKitModel
import Diagnostics
import Foundation
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite struct SettingsTests {
  @Test(
    "a flag decides before the environment, that before .env, that before the project file and the user's")
  func precedence() async throws {
    let test = try TestProcess()
    try test.write(#"{"container": "local:user"}"#, to: "home/.config/celestra-admin/config.json")
    var environment = ["HOME": "\(test.folder)/home"]
    var flags = SharedOptionValues()
    func lookup() async throws -> Setting? {
      try Settings.load(of: AdminTool.tool, common: flags, process: test.process(environment)).lookup(
        .container)
    }

    #expect(try await lookup()?.value == "local:user")
    try test.write(#"{"container": "local:project"}"#, to: "celestra-admin.json")
    #expect(try await lookup()?.value == "local:project")
    try test.write("CELESTRA_ADMIN_CONTAINER=local:dotenv\n", to: ".env")
    #expect(try await lookup()?.value == "local:dotenv")
    #expect(try await lookup()?.origin == .init(name: ".env", trust: .folder))
    environment["CELESTRA_ADMIN_CONTAINER"] = "local:variable"
    #expect(try await lookup()?.value == "local:variable")
    flags.container = "memory:"
    #expect(try await lookup()?.value == "memory:")
    #expect(try await lookup()?.origin == .init(name: "flag", trust: .process))
  }

  @Test(
    "a relative path in a project file or its .env starts from the file's folder, wherever the command runs")
  func relativePaths() async throws {
    let test = try TestProcess()
    try test.write(
      #"{"container": "local:data/c.sqlite", "schema": "../schemas/a.ckdb", "contact": "me@example.com"}"#,
      to: "celestra-admin.json")
    try test.write("CLOUDKIT_PRIVATE_KEY_PATH=key.pem\n", to: ".env")
    try test.write("{}", to: "sub/dir/placeholder")
    var process = test.process()
    process.directory = "\(test.folder)/sub/dir"
    let settings = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: process)
    let root = test.folder
    let above = root[..<(root.lastIndex(of: "/") ?? root.endIndex)]
    #expect(try settings[.container] == "local:\(root)/data/c.sqlite")
    #expect(try settings[.schema] == "\(above)/schemas/a.ckdb")
    #expect(try settings[.cloudKitKeyPath] == "\(root)/key.pem")
    #expect(try settings[.contact] == "me@example.com")

    let here = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: test.process())
    #expect(try here[.container] == "local:data/c.sqlite")
    #expect(try here[.cloudKitKeyPath] == "key.pem")
  }

  @Test(
    "absolute paths, other containers and standard input stay as they are",
    arguments: ["local:/tmp/c.sqlite", "memory:", "cloudkit:iCloud.com.example.App"])
  func otherContainers(text: String) async throws {
    let test = try TestProcess()
    try test.write("{\"container\": \"\(text)\"}", to: "celestra-admin.json")
    try test.write("{}", to: "sub/placeholder")
    var process = test.process()
    process.directory = "\(test.folder)/sub"
    let settings = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: process)
    #expect(try settings[.container] == text)
  }

  @Test(
    "a setting of a file is found by its name, in objects or with dots",
    arguments: [#"{"cloudkit": {"teamID": "TEAM000000"}}"#, #"{"cloudkit.teamID": "TEAM000000"}"#])
  func dottedNames(text: String) async throws {
    let test = try TestProcess()
    try test.write(text, to: "celestra-admin.json")
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(), process: test.process())
    #expect(try settings[.cloudKitTeam] == "TEAM000000")
    #expect(settings.warnings.isEmpty)
  }

  @Test("without a project file, .env is read in the working directory only")
  func dotEnvWithoutProject() async throws {
    let test = try TestProcess()
    try test.write("CLOUDKIT_TEAM_ID=ABOVE00000\n", to: ".env")
    try test.write("CLOUDKIT_TEAM_ID=HERE000000\n", to: "sub/.env")
    var process = test.process()
    process.directory = "\(test.folder)/sub"
    let settings = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: process)
    #expect(try settings[.cloudKitTeam] == "HERE000000")
  }

  @Test("a variable that is nearly one of the tool's is reported, in the environment and in .env")
  func misspelledVariables() async throws {
    let test = try TestProcess()
    try test.write("CELESTRA_ADMIN_CONTANER=x\nOTHER_TOOL=1\n", to: ".env")
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(),
      process: test.process([
        "CLOUDKIT_ENVIROMENT": "production", "CLOUDFLARE_API_TOKEN": "x", "CLOUDKIT_WHATEVER_IS_ELSE": "y",
      ]))
    #expect(
      settings.warnings == [
        "environment: there is no setting 'CLOUDKIT_ENVIROMENT'; did you mean 'CLOUDKIT_ENVIRONMENT'?",
        ".env: there is no setting 'CELESTRA_ADMIN_CONTANER'; did you mean 'CELESTRA_ADMIN_CONTAINER'?",
      ])
  }

  @Test(
    "an empty XDG_CONFIG_HOME counts as unset, and without HOME there is no user's folder",
    arguments: [
      (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/celestra-admin"),
      (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/celestra-admin"),
      (["HOME": "/h"], "/h/.config/celestra-admin"),
      (["XDG_CONFIG_HOME": "", "HOME": ""], nil), ([:], nil),
    ] as [([String: String], String?)])
  func configurationFolder(environment: [String: String], folder: String?) throws {
    #expect(try TestProcess().process(environment).configurationFolder == folder)
  }

  @Test("without HOME no token is looked for, and saving one is refused")
  func noHome() throws {
    let store = TokenStore(try TestProcess().process())
    #expect(try store.load(.management) == nil)
    let failure = #expect(throws: CommandFailure.self) { try store.save("token", .management, address: nil) }
    #expect(failure?.code == "no-home")
  }

  @Test("a .env that is a folder, as Python's venv makes one, has no settings")
  func dotEnvFolder() throws {
    let test = try TestProcess()
    try test.write("home = /usr", to: ".env/pyvenv.cfg")
    #expect(throws: Never.self) {
      try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: test.process())
    }
  }

  @Test("an empty variable hides a secret of the files, and nothing else")
  func hiddenSecret() async throws {
    let test = try TestProcess()
    try test.write(
      #"{"cloudkit": {"privateKey": "secret", "teamID": "TEAM123456"}}"#, to: "celestra-admin.json")
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(),
      process: test.process(["CLOUDKIT_PRIVATE_KEY": "", "CLOUDKIT_TEAM_ID": ""]))
    #expect(try settings[.cloudKitKey] == nil)
    #expect(try settings[.cloudKitTeam] == "TEAM123456")
    #expect(
      settings.notes.count == 1
        && settings.notes[0].hasSuffix("because CLOUDKIT_PRIVATE_KEY (from environment) is empty"))
  }

  @Test(
    "a setting's variable is the one it is read from",
    arguments: SettingKey.all.filter { $0.places != .files })
  func variables(_ key: SettingKey) async throws {
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(),
      process: try TestProcess().process([key.variable: "value"])
    )
    #expect(try settings.lookup(key)?.value == "value")
  }

  @Test("hosts for plain http come from the environment of the process only")
  func processOnly() async throws {
    let test = try TestProcess()
    try test.write(#"{"httpHosts": "evil"}"#, to: "celestra-admin.json")
    try test.write("CELESTRA_ADMIN_HTTP_HOSTS=evil", to: ".env")
    let settings = try Settings.load(
      of: AdminTool.tool, common: SharedOptionValues(), process: test.process())
    #expect(try settings.lookup(.httpHosts) == nil)
    #expect(settings.warnings.count == 2)
  }

  @Test("the nearer place wins, whichever of two settings it has")
  func nearerPlace() async throws {
    let test = try TestProcess()
    try test.write(
      #"{"container": "local:project", "cloudkit": {"privateKey": "far"}}"#, to: "celestra-admin.json")
    let variables = ["CLOUDKIT_CONTAINER_ID": "iCloud.com.example.App", "CLOUDKIT_PRIVATE_KEY_PATH": "near"]
    let context = try await test.context(variables)
    #expect(try context.location == .cloudKit(id: "iCloud.com.example.App"))
    #expect(try context.settings.lookup(.cloudKitKey, .cloudKitKeyPath)?.value == "near")
    let both = variables.merging(["CELESTRA_ADMIN_CONTAINER": "memory:"]) { $1 }
    #expect(try await test.context(both).location == .memory)
  }

  @Test(
    "a value that its setting does not take is never shown",
    arguments: [
      SettingKey.cloudKitEnvironment, .clock, .rateLimit, .schemaRoute, .container, .cloudKitContainer,
      .baseURL,
    ])
  func unshownValues(_ key: SettingKey) async throws {
    let test = try TestProcess()
    let failure = #expect(throws: CommandFailure.self) {
      let process = test.process([key.variable: "SECRET"])
      let settings = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: process)
      let context = CommandContext(
        common: SharedOptionValues(), format: .text, settings: settings, process: try settings.timed(process))
      _ = try (context.environment, context.location, context.address(.baseURL), context.requestsPerSecond)
      _ = try context.teamsContainer()
    }
    #expect(failure?.message.contains(key.variable) == true)
    #expect(failure?.message.contains("SECRET") == false)
  }

  @Test(
    "the clock is set to a time, a day or milliseconds, never to a day that does not exist",
    arguments: [
      ("2026-03-02T12:00:00Z", 1_772_452_800), ("2026-03-02", 1_772_409_600),
      ("1772452800500", 1_772_452_800.5),
      ("2026-02-30", nil), ("2026-03-02T24:00:00Z", nil), ("10000-01-01T00:00:00Z", nil), ("noon", nil),
    ] as [(String, Double?)])
  func clock(_ text: String, _ seconds: Double?) throws {
    let process = try TestProcess().process([SettingKey.clock.variable: text])
    let settings = try Settings.load(of: AdminTool.tool, common: SharedOptionValues(), process: process)
    #expect((try? settings.timed(process))?.now().timeIntervalSince1970 == seconds)
  }

  @Test(
    "a token is one word of visible characters",
    arguments: ["two words", "tab\t", "line\r", "é", "\u{1B}[2J"])
  func tokens(_ text: String) async throws {
    for key in [SettingKey.managementToken, .cloudKitAPIToken, .cloudKitWebAuthToken] {
      let context = try await TestProcess().context([key.variable: text])
      let failure = #expect(throws: CommandFailure.self) { try context.token(key) }
      #expect(failure?.message.contains(key.variable) == true)
    }
  }

  @Test(
    "the two addresses of Apple's service are Apple's, and no other is",
    arguments: [
      ("https://api.apple-cloudkit.com", true), ("https://api.icloud.apple.com/", true),
      ("https://api.apple-cloudkit.com:444", false), ("https://api.apple-cloudkit.com.example.com", false),
      ("https://example.com/api.apple-cloudkit.com", false),
    ])
  func apple(_ url: String, _ isApple: Bool) async throws {
    let context = try await TestProcess().context(["CLOUDKIT_BASE_URL": url])
    #expect(try context.address(.baseURL).isApple == isApple)
  }

  @Test(
    "an address is an http or https URL without user name and query",
    arguments: [
      "api.example.com", "ftp://example.com", "https://u@example.com", "https://u:p@example.com",
      "https://example.com?x", "https://example.com#x", "http://127.0.0.1@example.com", "http:// x",
    ])
  func addresses(_ url: String) async throws {
    let context = try await TestProcess().context(["CLOUDKIT_BASE_URL": url])
    #expect(throws: CommandFailure.self) { try context.address(.baseURL) }
  }

  @Test("without any setting the records are in the working directory's container, in development")
  func defaults() async throws {
    let context = try await TestProcess().context()
    #expect(try context.location == .local(path: ".celestra/container.sqlite"))
    #expect(try context.environment == .development)
  }

  @Test("an environment that is neither is refused, in any letter case")
  func environments() async throws {
    let production = try await TestProcess().context(["CLOUDKIT_ENVIRONMENT": "PRODUCTION"])
    #expect(try production.environment == .production)
    let other = try await TestProcess().context(["CLOUDKIT_ENVIRONMENT": "staging"])
    let failure = #expect(throws: CommandFailure.self) { try other.environment }
    #expect(failure?.status == .usage)
  }
}
