import CloudKitModel
import Diagnostics
import LocalContainer
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct ErrorRepliesTests {
  @Test("a container that another process holds is a reason to try again, a broken one is not")
  func failures() {
    let busy = Emulator.refusal(ContainerFailure(.busy, "locked"))
    #expect(busy.code == .tryAgainLater && busy.retryAfter == .seconds(1))
    #expect(Emulator.refusal(ContainerFailure(.storage, "damaged")).code == .internalError)
  }

  @Test("the explanation of several refusals has each reason once")
  func explanation() async throws {
    let fixture = try await Fixture()
    func create(_ fields: String) -> String {
      #"{"operationType":"create","record":{"recordType":"Note","fields":{\#(fields)}}}"#
    }
    let wrong = #""count":{"value":"x","type":"STRING"}"#
    let unknown = #""colour":{"value":"x","type":"STRING"}"#
    func explanation(_ operations: String...) async throws -> String? {
      try await fixture.send(
        "records/modify", #"{"operations":[\#(operations.joined(separator: ","))]}"#
      ).reply.explanation
    }
    #expect(try await explanation(create("")) == nil)
    let one = try #require(try await explanation(create(wrong)))
    let other = try #require(try await explanation(create(unknown)))
    #expect(one != other)
    #expect(
      try await explanation(create(wrong), create(""), create(unknown), create(wrong)) == "\(one); \(other)")
  }
}
