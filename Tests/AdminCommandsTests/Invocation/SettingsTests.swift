import CloudKitModel
import Foundation
import Testing

@testable import AdminCommands

@Suite struct SettingsTests {
  @Test(
    "a flag decides before the environment, that before .env, that before the project file and the user's")
  func precedence() async throws {
    let test = try TestWorld()
    try test.write(#"{"container": "local:user"}"#, to: "home/.config/celestra-admin/config.json")
    var environment = ["HOME": "\(test.folder)/home"]
    var flags = CommonOptions()
    func lookup() async throws -> (value: String, origin: String)? {
      try Settings.load(common: flags, world: test.world(environment)).lookup(.container)
    }

    #expect(try await lookup()?.value == "local:user")
    try test.write(#"{"container": "local:project"}"#, to: "celestra-admin.json")
    #expect(try await lookup()?.value == "local:project")
    try test.write("CELESTRA_ADMIN_CONTAINER=local:dotenv\n", to: ".env")
    #expect(try await lookup()?.value == "local:dotenv")
    #expect(try await lookup()?.origin == ".env")
    environment["CELESTRA_ADMIN_CONTAINER"] = "local:variable"
    #expect(try await lookup()?.value == "local:variable")
    flags.container = "memory:"
    #expect(try await lookup()?.value == "memory:")
    #expect(try await lookup()?.origin == "flag")
  }

  @Test("an empty variable says nothing")
  func emptyVariable() async throws {
    let test = try TestWorld()
    let settings = try Settings.load(
      common: CommonOptions(), world: test.world(["CELESTRA_ADMIN_CONTAINER": ""]))
    #expect(try settings[.container] == nil)
  }

  @Test("CloudKit's variables go by CloudKit's names")
  func names() async throws {
    let test = try TestWorld()
    let settings = try Settings.load(
      common: CommonOptions(),
      world: test.world(["CLOUDKIT_KEY_ID": "abc", "CELESTRA_ADMIN_CLOUDKIT_KEY_ID": "no"]))
    #expect(try settings[.cloudKitKeyID] == "abc")
  }

  @Test("without any setting the records are in the working directory's container, in development")
  func defaults() async throws {
    let session = try await TestWorld().session()
    #expect(try session.spec == .local(path: ".celestra/container.sqlite"))
    #expect(try session.environment == .development)
  }

  @Test("a CloudKit container in the environment is used when nothing names another")
  func cloudKitContainer() async throws {
    let session = try await TestWorld().session(["CLOUDKIT_CONTAINER_ID": "iCloud.com.example.App"])
    #expect(try session.spec == .cloudKit(id: "iCloud.com.example.App"))
  }

  @Test("an environment that is neither is refused, in any letter case")
  func environments() async throws {
    let production = try await TestWorld().session(["CLOUDKIT_ENVIRONMENT": "PRODUCTION"])
    #expect(try production.environment == .production)
    let other = try await TestWorld().session(["CLOUDKIT_ENVIRONMENT": "staging"])
    let failure = #expect(throws: CommandFailure.self) { try other.environment }
    #expect(failure?.status == .usage)
  }
}
