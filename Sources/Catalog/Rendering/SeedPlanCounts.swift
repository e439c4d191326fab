package import CloudKitModel
package import Diagnostics
package import RecordChanges

/// The numbers of records that a seed plan creates, updates, deletes or leaves unchanged.
struct SeedPlanCounts {
  var create = 0
  var update = 0
  var delete = 0
  var unchanged = 0
  var conflicts = 0
  var failed = 0

  /// In the order and under the keys of the JSON result.
  var named: [(key: String, count: Int)] {
    [
      ("create", create), ("update", update), ("delete", delete), ("unchanged", unchanged),
      ("conflicts", conflicts), ("failed", failed),
    ]
  }
}

extension SeedPlan {
  /// The result of `seed plan`, in the keys that scripts read.
  ///
  /// `requests` is what making the plan cost.
  package func result(requests: RequestCounts) -> JSONObject {
    let counts = SeedPlanCounts(
      create: count(.create), update: count(.update), delete: count(.delete), unchanged: unchanged,
      conflicts: conflicts.count)
    return json(counts, changes: changes.map { $0.planJSON(slug: $0.label) }, requests: requests)
  }

  /// What applying the plan did.
  ///
  /// A change that an earlier run had already written counts as unchanged, and one that was not tried as failed.
  func counts(_ report: ChangeReport) -> SeedPlanCounts {
    let applied = report.results.filter { $0.outcome == .applied }.map(\.change.action)
    return SeedPlanCounts(
      create: applied.count { $0 == .create }, update: applied.count { $0 == .update },
      delete: applied.count { $0 == .delete }, unchanged: unchanged + report.alreadyApplied,
      conflicts: conflicts.count + report.conflicts, failed: report.failed + report.notAttempted)
  }

  /// The result of `seed apply`: the counts say what was done, and each change what became of it. `unknown` counts
  /// changes whose reply was lost, and `remaining` lists those that are not in the container as far as is known.
  package func result(_ report: ChangeReport, requests: RequestCounts) -> JSONObject {
    let changes = report.results.map { change, outcome in
      var json = change.planJSON(slug: change.label)
      json["outcome"] = .string(outcome.word)
      json["reason"] = outcome.reason.map(JSONValue.string)
      return json
    }
    var json = json(counts(report), changes: changes, requests: requests)
    json["unknown"] = JSONValue(report.unknown)
    json["remaining"] = report.remainingJSON
    return json
  }

  private func json(_ counts: SeedPlanCounts, changes: [JSONObject], requests: RequestCounts) -> JSONObject {
    let rest: JSONObject = [
      "changes": .array(changes.map(JSONValue.object)),
      "deletions": .array(deletions.map(\.json)), "strandedReaders": .integer(strandedReaders),
      "risks": .array(risks.map(\.rawValue).sorted().map(JSONValue.string)),
      "conflicting": .array(self.conflicts.map(\.json)), "notes": .array(notes.map(\.json)),
      "readers": .array(
        readers.sorted { $0.key < $1.key }.map { name, count in
          .object(JSONObject([("recordName", .string(name))] + count.json.members))
        }),
      "requests": [
        "query": JSONValue(requests.query), "lookup": JSONValue(requests.lookup),
        "modify": JSONValue(requests.modify),
      ],
    ]
    return JSONObject(counts.named.map { ($0.key, JSONValue($0.count)) } + rest.members)
  }
}

extension DeletionShare {
  fileprivate var json: JSONValue {
    [
      "recordType": .string(recordType), "delete": JSONValue(deleted),
      "present": JSONValue(present),
    ]
  }
}

extension ChangeReport.Outcome {
  fileprivate var word: String {
    switch self {
    case .applied: "applied"
    case .alreadyApplied: "alreadyApplied"
    case .conflict: "conflict"
    case .failed: "failed"
    case .unknown: "unknown"
    case .notAttempted: "notAttempted"
    }
  }

  fileprivate var reason: String? {
    switch self {
    case .conflict(let reason): reason
    case .failed(let error): error.description
    default: nil
    }
  }
}
