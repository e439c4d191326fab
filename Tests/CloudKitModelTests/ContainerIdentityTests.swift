import CloudKitModel
import Testing

@Suite("The identity of a container")
struct ContainerIdentityTests {
  private func identity(
    _ name: String, _ id: String?, _ environment: Environment = .development
  ) -> ContainerIdentity {
    ContainerIdentity(name: name, environment: environment, id: id)
  }

  @Test("ids decide where both are known, names otherwise, and the environment always")
  func same() {
    let known = identity("local:a", "1")
    #expect(known.isSameContainer(as: identity("local:./a", "1")))
    #expect(!known.isSameContainer(as: identity("local:a", "2")))
    #expect(!known.isSameContainer(as: identity("local:./a", "1", .production)))
    #expect(known.isSameContainer(as: identity("local:a", nil)))
    #expect(!identity("local:./a", nil).isSameContainer(as: known))
    #expect(!identity("local:a", nil).isSameContainer(as: identity("local:a", "1", .production)))
    // A name of Apple's service may be an emulator's, too.
    #expect(!identity("cloudkit:a", nil).isSameContainer(as: identity("cloudkit:a", "1")))
    #expect(identity("cloudkit:a", nil).isSameContainer(as: identity("cloudkit:a", nil)))
  }

  @Test("what a user named is equal by name and environment, whatever the id")
  func equality() {
    let known = identity("local:a", "1")
    #expect(known == identity("local:a", nil) && known == identity("local:a", "2"))
    #expect(known != identity("local:b", "1") && known != identity("local:a", "1", .production))
    #expect(Set([known, identity("local:a", "2"), identity("local:b", "1")]).count == 2)
  }
}
