import CloudKitEmulator
import CloudKitModel
import FoundationEssentials
import LocalContainer
import Testing
import WebServicesWire

/// `Documentation/Fidelity.md` is complete.
@Suite struct LedgerTests {
  private func ledger() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation")
    return try String(contentsOf: root.appending(path: "Fidelity.md"), encoding: .utf8)
  }

  @Test("every setting of the server's behavior is in the ledger")
  func behavior() throws {
    let ledger = try ledger()
    for child in Mirror(reflecting: ServerBehavior()).children {
      let name = try #require(child.label)
      #expect(ledger.contains("`behavior.\(name)`"), "\(name) is missing")
    }
  }

  @Test(
    "every choice that can be made on the command line stands in the ledger",
    arguments: EmulatorOption.behaviors)
  func choices(choice: EmulatorOption) throws {
    let ledger = try ledger()
    let kinds = ["behavior", "configuration", "format", "listening"]
    #expect(kinds.contains { ledger.contains("`\($0).\(choice.name)`") }, "\(choice.name) is missing")
  }

  @Test("whatever is unknown has a setting")
  func unknown() throws {
    let rows = try ledger().split(separator: "\n").map {
      $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
    let unknown = rows.filter { $0.count == 6 && $0[2].contains("?") }
    #expect(unknown.count > 20)
    for row in unknown { #expect(row[4].contains("`"), "\(row[1])") }
  }

  @Test("without a choice an emulator behaves as the ledger says")
  func defaults() {
    let configuration = EmulatorConfiguration(container: Fixture.container)
    #expect(configuration.pageSize == 200 && configuration.environments == [.development])
    #expect(configuration.signatureWindow == .seconds(600) && configuration.signatureLead == .seconds(600))
    #expect(
      configuration.refusesOtherMethods && !configuration.discoversEverybody && configuration.signInMakesUser)
    #expect(!configuration.booleansAreIntegers && configuration.uploadsOnce && configuration.receiptsAreBound)
    #expect(configuration.downloadsAreNamed && configuration.sendsRetryAfterHeader)
    #expect(configuration.bodyLimit == 2_097_152 && configuration.assetLimit == 15_728_640)
    #expect(configuration.uploadLifetime == .seconds(900) && configuration.throttleStatus == 429)
    #expect(
      configuration.keyAtPrivateDatabase == .authenticationFailed
        && configuration.userEndpointsOfKeys == [.usersCurrent])
  }

  @Test(
    "every item of the management table stands in the ledger", arguments: ManagementAPIAssumption.allCases)
  func management(item: ManagementAPIAssumption) throws {
    #expect(try ledger().contains("| `\(item.rawValue)` |"))
  }
}
