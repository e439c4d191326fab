import CloudKitModel
import ContainerFaults
import LocalContainer

/// Containers with records of the type Feed.
extension FaultyContainer {
  static func feeds(
    _ records: [Record] = [],
    fault: @escaping @Sendable (Request) async throws -> Fault? = { _ in nil }
  ) async throws -> FaultyContainer {
    FaultyContainer(try await filled(with: records), fault: fault)
  }

  static func feeds(_ records: [Record] = [], writes faults: [Fault?]) async throws -> FaultyContainer {
    FaultyContainer(try await filled(with: records), writes: faults)
  }

  private static func filled(with records: [Record]) async throws -> any Container {
    let container = try await LeaseSchema.container()
    for outcome in try await container.modify(
      records.map {
        RecordOperation(
          .create, recordType: $0.recordType, recordName: $0.recordName, fields: $0.fields.mapValues { $0 })
      })
    {
      if let error = outcome.error { throw error }
    }
    return container
  }

  func record(_ name: String) async throws -> Record? {
    try await base.lookup(LookupRequest([name]))[0].record
  }

  /// What another client does meanwhile.
  func edit(_ name: String, _ fields: [String: FieldValue?]) async throws {
    if let error = try await base.modify([
      RecordOperation(.forceUpdate, recordType: "Feed", recordName: name, fields: fields)
    ])[0].error {
      throw error
    }
  }
}
