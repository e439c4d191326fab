internal import Aggregates
internal import CloudKitModel
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

extension JobRunner {
  /// The locks and leases of every job in both environments of a local container.
  func allJobsLease(_ command: String, _ store: LocalStore) async throws -> AllJobsLease {
    let aggregates = try context.aggregateFile(nil)
    var jobs: Set<LeaseName> = []
    var places: [AllJobsLease.Place] = []
    for environment in Environment.allCases {
      let schema = try await store.schema(of: environment)
      jobs.formUnion(try context.aggregates(aggregates, in: schema).leases)
      var dependencies = try dependencies(of: command, schema)
      // Nothing runs in an environment without records to write.
      if schema.recordTypes.allSatisfy({ $0.name == "Users" }) { dependencies.note = { _ in } }
      places.append((LocalContainer(store: store, environment: environment), dependencies))
    }
    return AllJobsLease(command, jobs: jobs, in: places)
  }
}
