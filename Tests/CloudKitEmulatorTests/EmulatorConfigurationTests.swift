import CloudKitModel
import LocalContainer
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct EmulatorConfigurationTests {
  @Test("without a choice an emulator behaves as Documentation/Fidelity.md says")
  func defaults() {
    let configuration = EmulatorConfiguration(container: Fixture.container)
    #expect(configuration.pageSize == 200 && configuration.environments == [.development])
    #expect(configuration.signatureWindow == .seconds(600) && configuration.signatureLead == .seconds(600))
    #expect(
      configuration.refusesOtherMethods && !configuration.discoversEverybody && configuration.signInMakesUser)
    #expect(!configuration.booleansAreIntegers && configuration.uploadsOnce && configuration.receiptsAreBound)
    #expect(configuration.downloadsAreNamed && configuration.sendsRetryAfterHeader)
    #expect(configuration.bodyLimit == 2_097_152 && configuration.assetLimit == 15_728_640)
    #expect(configuration.assetQuota == 268_435_456 && configuration.uploadLifetime == .seconds(900))
    #expect(
      configuration.latency == .zero && configuration.rateLimit == nil && configuration.throttleStatus == 429)
    #expect(
      configuration.keyAtPrivateDatabase == .authenticationFailed
        && configuration.userEndpointsOfKeys == [.usersCurrent])
    let listening = configuration.listening
    #expect(listening.host == "127.0.0.1" && listening.port == 0)
    #expect(
      !listening.allowsOtherHosts && !listening.allowsRealContainer && listening.maximumConnections == 1000)
    #expect(listening.idleTimeout == .seconds(120) && listening.requestTimeout == .seconds(60))
    #expect(listening.stopTimeout == .seconds(5) && EmulatorServer.Listening(port: 7).port == 7)
  }

  @Test(
    "a container is a demonstration when a part of its id begins with the word",
    arguments: [
      ("iCloud.demo.celestra", true), ("iCloud.com.example.Demo1", true), ("iCloud.com.my-demo", true),
      ("demo", true),
      ("iCloud.com.my_DEMO.app", true), ("iCloud.com.example.App", false), ("iCloud.com.mydemo", false),
      ("", false), ("dem.o", false),
    ])
  func demonstrations(container: String, isDemonstration: Bool) {
    #expect(EmulatorConfiguration(container: container).isMarkedAsDemo == isDemonstration)
  }

  @Test("other machines and containers of real apps need a permission")
  func listening() throws {
    func mayListen(_ host: String, _ container: String, _ allowsHosts: Bool, _ allowsReal: Bool) -> Bool {
      var configuration = EmulatorConfiguration(container: container)
      configuration.listening.host = host
      configuration.listening.allowsOtherHosts = allowsHosts
      configuration.listening.allowsRealContainer = allowsReal
      return (try? configuration.checkListening()) != nil
    }
    for host in ["127.0.0.1", "::1", "localhost"] { #expect(mayListen(host, "iCloud.demo.a", false, false)) }
    for host in ["0.0.0.0", "::", "127.0.0.2", ""] {
      #expect(!mayListen(host, "iCloud.demo.a", false, true) && mayListen(host, "iCloud.demo.a", true, false))
    }
    #expect(
      !mayListen("::1", "iCloud.com.example", true, false)
        && mayListen("::1", "iCloud.com.example", false, true))
    #expect(mayListen("::1", "com.example", false, false))
  }

  @Test("connections leave files for the rest of the process, and there is at least one")
  func connections() {
    var listening = EmulatorServer.Listening()
    for (wanted, limit) in [(0, 1), (1, 1), (10, 10), (100, 100)] {
      listening.maximumConnections = wanted
      #expect(listening.limits.connections == limit)
    }
  }

  @Test("a seed makes the tags of a store in memory repeat, and never those of a file")
  func tags() {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    func starts(_ location: LocalStore.Location) -> Set<Int64> {
      Set((0..<4).map { _ in configuration.storeSettings(for: location).makeTagStart() })
    }
    #expect(starts(.memory).count == 4)
    configuration.seed = 7
    let memory = starts(.memory)
    #expect(memory.count == 1 && memory.allSatisfy { (0..<(1 << 62)).contains($0) })
    #expect(starts(.file("x")).count == 4)
    let settings = configuration.storeSettings(for: .memory)
    #expect(settings.makeRecordName() == configuration.storeSettings(for: .memory).makeRecordName())
  }

  @Test("a duration in nanoseconds")
  func nanoseconds() {
    #expect(Duration.seconds(2).nanoseconds == 2_000_000_000 && Duration.nanoseconds(1).nanoseconds == 1)
    #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 2_000_000_000).nanoseconds == 2)
  }
}
