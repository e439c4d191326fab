import CloudKitModel
import ContainerFaults
import LocalContainer
import Testing

@Suite struct FieldProbeTests {
  private func probe(_ refusal: ServerError?) async throws -> Bool {
    let local = try LocalContainer.open(.memory)
    try await local.importSchema("DEFINE SCHEMA RECORD TYPE T ( f STRING QUERYABLE );")
    let container = FaultyContainer(local) { _ in refusal.map(FaultyContainer.Fault.refuse) }
    let answer = try await container.hasField("f", of: "T", sample: .string("x"))
    guard case .query(let request)? = container.requests.first else {
      Issue.record("no query was made")
      return answer
    }
    let query = Query("T", filters: [Filter("f", equals: .string("x"))])
    #expect(request == QueryRequest(query, desiredKeys: [], resultsLimit: 1))
    return answer
  }

  @Test(
    "a field exists if a query finds it or only lacks its index",
    arguments: [
      (nil, true), (ServerError(.badRequest, "Field 'f' is not marked queryable"), true),
      (ServerError(.badRequest, "Did not find field: 'f' in type: 'T'"), false),
      (ServerError(.notFound, "could not find record_type with name 'T'"), false),
    ] as [(ServerError?, Bool)])
  func answers(refusal: ServerError?, isThere: Bool) async throws {
    #expect(try await probe(refusal) == isThere)
  }

  @Test(
    "another refusal says nothing about the field",
    arguments: [
      ServerError(.badRequest, "Did not find field: 'g' in type: 'T'"), ServerError(.badRequest, ""),
      ServerError(.accessDenied, "Did not find field: 'f'"),
      ServerError(.throttled, "is not marked queryable"),
    ])
  func otherRefusals(refusal: ServerError) async throws {
    let error = await #expect(throws: ServerError.self) { _ = try await probe(refusal) }
    #expect(error?.isSame(as: refusal) == true)
  }

  @Test("a refusal is about a filter if it is a bad request that names one of the fields")
  func filters() {
    let refusal = ServerError(.badRequest, "Field 'b' is not marked queryable")
    #expect(refusal.refusesFilter(on: ["b"]) && refusal.refusesFilter(on: ["a", "b"]))
    #expect(
      !refusal.refusesFilter(on: ["a"]) && !refusal.refusesFilter(on: [])
        && !refusal.refusesFilter(on: ["Field"]))
    #expect(!ServerError(.throttled, "Field 'b' is busy").refusesFilter(on: ["b"]))
  }
}
