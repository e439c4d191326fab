import Diagnostics
import Testing

@testable import AdminCommands

@Suite struct ContainerLocationTests {
  @Test(
    "each kind of container is written as it is read",
    arguments: [
      ("local:data/container.sqlite", ContainerLocation.local(path: "data/container.sqlite")),
      ("local:C:odd", .local(path: "C:odd")), ("memory:", .memory),
      ("cloudkit:iCloud.com.example.App", .cloudKit(id: "iCloud.com.example.App")),
    ])
  func read(_ text: String, _ spec: ContainerLocation) throws {
    #expect(try ContainerLocation(text) == spec)
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
    let failure = #expect(throws: CommandFailure.self) { try ContainerLocation(text) }
    #expect(failure?.status == .usage)
    #expect(failure?.hint != nil)
  }
}
