import CloudKitModel
import Diagnostics
import Testing

@Suite struct ContainerTests {
  @Test("the limits are those that the reference names (Documentation/reference/web-services.md#limits)")
  func limits() {
    #expect(ContainerLimits.operationsPerRequest == 200 && ContainerLimits.recordsPerRequest == 200)
    #expect(ContainerLimits.emptyPages == 1000 && ContainerLimits.recordSize == 1_000_000)
  }

  @Test(
    "each failure has its code and status, and only two leave open whether something was written",
    arguments: [
      (.storage, "storage", .failed, false), (.busy, "busy", .locked, false),
      (.readOnly, "read-only", .failed, false),
      (.unreachable, "unreachable", .failed, false), (.outcomeUnknown, "outcome-unknown", .failed, true),
      (.unusableAnswer, "unusable-answer", .failed, true), (.tooLarge, "too-large", .failed, false),
      (.unavailable(retryAfter: .seconds(3)), "unavailable", .tryLater, false),
      (.credential, "credential", .denied, false),
    ] as [(ContainerFailure.Kind, String, Diagnostics.ExitStatus, Bool)])
  func failures(
    kind: ContainerFailure.Kind, code: String, status: Diagnostics.ExitStatus, leavesWriteOpen: Bool
  ) {
    let failure = ContainerFailure(kind, "m", hint: "h")
    #expect(failure.leavesWriteOpen == leavesWriteOpen)
    #expect(failure.failure.code == code && failure.failure.status == status && failure.failure.hint == "h")
    #expect(failure.failure.retryAfter == (status == .tryLater ? .seconds(3) : nil))
  }

  @Test("a name is a digest when it has 64 digits, small letters only", arguments: RecordNameRule.allCases)
  func digests(rule: RecordNameRule) {
    for digit in "0123456789abcdef" {
      #expect(rule.accepts(String(repeating: digit, count: 64)))
      #expect(!rule.accepts(String(repeating: digit, count: 63)))
      #expect(!rule.accepts(String(repeating: digit, count: 65)))
    }
    for other in "/:`gAF -é" {
      #expect(!rule.accepts(String(repeating: "a", count: 63) + String(other)))
    }
    #expect(!rule.accepts(""))
  }

  @Test("a group has as many records as names of all classes")
  func tally() {
    var tally = NameTally()
    #expect(tally == NameTally(verified: 0, own: 0, madeUp: 0, unknown: 0))
    for (kind, count) in [(CreatorNames.Class.verified, 1), (.own, 2), (.madeUp, 4), (.unknown, 8)] {
      for _ in 0..<count { tally.add(kind) }
    }
    #expect(tally == NameTally(verified: 1, own: 2, madeUp: 4, unknown: 8))
    #expect(GroupCount(group: "g", names: tally).records == 15)
    tally.add(NameTally(verified: 10, own: 20, madeUp: 30, unknown: 40))
    #expect(tally == NameTally(verified: 11, own: 22, madeUp: 34, unknown: 48))
  }

  @Test("an import is not in one step unless a container says so")
  func imports() {
    struct Service: SchemaManager {
      func exportSchema() async throws -> String { "" }
      func validateSchema(_ text: String) async throws -> String? { nil }
      func importSchema(_ text: String) async throws {}
      func resetSchema() async throws {}
      func deploySchema() async throws {}
    }
    #expect(!Service().importsInOneStep)
  }
}
