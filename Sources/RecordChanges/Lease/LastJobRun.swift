public import CloudKitModel

/// The facts about a job's last run that are stored in its AdminLease record, where any machine can read them.
public struct LastJobRun: Sendable, Hashable {
  /// By the clock of the machine that ran it.
  public var finishedAt: Timestamp
  /// The result of the run, as a JSON object.
  public var result: String
  /// The git revision of the applied seeds.
  public var revision: String?

  public init(finishedAt: Timestamp, result: String, revision: String? = nil) {
    self.finishedAt = finishedAt
    self.result = result
    self.revision = revision
  }

  /// The memory of a job's last complete run: of the whole, or of the shard that finished first.
  ///
  /// `nil` for a job that has not run since the schema has the fields. Throws the container's errors.
  public static func last(of job: LeaseName, in container: some Container) async throws -> LastJobRun? {
    let whole = try await container.lookupAll([job.wholeRecordName]).first.flatMap { try $0.found }
    guard let whole else { return nil }
    guard whole.leaseParts > 0 else { return LastJobRun(whole) }
    let parts = try await container.lookupAll(job.partNames(count: whole.leaseParts))
      .map { try $0.found.flatMap(LastJobRun.init) }
    // If one shard has never finished, the state of the whole job is unknown.
    guard !parts.contains(nil) else { return nil }
    return parts.compactMap(\.self).min { $0.finishedAt.milliseconds < $1.finishedAt.milliseconds }
  }

  init?(_ record: Record) {
    guard let finishedAt = record["finishedAt"]?.timestamp, let result = record["result"]?.string else {
      return nil
    }
    self.init(finishedAt: finishedAt, result: result, revision: record["revision"]?.string)
  }

  var fields: [String: FieldValue?] {
    [
      "finishedAt": .timestamp(finishedAt), "result": .string(result),
      "revision": revision.map(FieldValue.string),
    ]
  }
}
