import CloudKitEmulator
import CloudKitModel
import Cryptography
import LocalContainer
import Testing

@Suite struct EmulatorChoiceTests {
  private func setup(_ choices: String...) throws -> EmulatorSetup {
    var setup = EmulatorSetup(container: Fixture.container)
    for choice in choices { try EmulatorOption.apply(choice, to: &setup) }
    return setup
  }

  @Test("every unknown behavior of the store can be chosen by its name")
  func complete() {
    let names = Set(EmulatorOption.all.map(\.name))
    #expect(names.count == EmulatorOption.all.count)
    for child in Mirror(reflecting: ServerBehavior()).children {
      #expect(names.contains(child.label ?? ""), "\(child.label ?? "")")
    }
  }

  @Test("a choice is made, of each kind")
  func choices() throws {
    let setup = try setup(
      "updateWithoutTag=accept", "justInTimeSchema=true", "filterValues=7", "signatureWindow=0.5",
      "ranges=queryable", "userEndpointsOfKeys=", "bodyLimit=10")
    #expect(setup.behavior.updateWithoutTag == .accept && setup.behavior.justInTimeSchema)
    #expect(setup.behavior.filterValues == 7 && setup.behavior.ranges == .queryable)
    #expect(setup.configuration.signatureWindow == .milliseconds(500))
    #expect(setup.configuration.userEndpointsOfKeys == [] && setup.configuration.bodyLimit == 10)
  }

  @Test(
    "an invalid choice is named",
    arguments: [
      ("updateWithoutTag", "is not name=value"), ("nothing=1", "is not a behavior"),
      ("updateWithoutTag=maybe", "takes accept or refuse"),
      ("filterValues=-1", "takes a whole number, 0 to 10000"),
      ("assetQuota=9223372036854775807", "to 1099511627776"),
      ("maximumConnections=0", "1 to 1000000"),
      ("signatureWindow=x", "takes a number of seconds"), ("userEndpointsOfKeys=users/x", "takes operations"),
    ])
  func mistakes(_ text: String, _ words: String) {
    let error = #expect(throws: EmulatorOptionError.self) { try setup(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("users differ by their tokens, and are the same in every run")
  func users() throws {
    var setup = try setup()
    setup.admitUser(Secret("one"))
    setup.admitUser(Secret("two"))
    let names = Set(setup.configuration.users.values.compactMap(\.userRecordName))
    #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("_") && $0.count == 33 })
  }
}
