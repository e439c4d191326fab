import Diagnostics
import Testing

@testable import AdminCommands

@Suite struct ContainerSpecTests {
  @Test(
    "each kind of container is written as it is read",
    arguments: [
      ("local:data/container.sqlite", ContainerSpec.local(path: "data/container.sqlite")),
      ("local:C:odd", .local(path: "C:odd")), ("memory:", .memory),
      ("cloudkit:iCloud.com.example.App", .cloudKit(id: "iCloud.com.example.App")),
    ])
  func read(_ text: String, _ spec: ContainerSpec) throws {
    #expect(try ContainerSpec(text) == spec)
    #expect(spec.description == text)
  }

  @Test(
    "anything else is wrong usage",
    arguments: [
      "", "local:", "local", "memory", "memory:x", "cloudkit:", "cloudkit:com.example",
      "cloudkit:iCloud.a/../b",
      "container.sqlite",
    ])
  func refused(_ text: String) {
    let failure = #expect(throws: CommandFailure.self) { try ContainerSpec(text) }
    #expect(failure?.status == .usage)
    #expect(failure?.hint != nil)
  }
}
