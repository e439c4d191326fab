internal import CloudKitModel
internal import Diagnostics
internal import Platform

struct MadeUpTarget: Sendable, Hashable {
  var recordName: String
  /// Sources of the target, made-up ones included.
  var sources: Int64
  var madeUp: Int64

  /// Targets with fewer sources are left out: what is said about them would be about single people.
  static let minSources: Int64 = 5
  static let maxShown = 20

  /// The targets with the most made-up names, of those with at least ``minSources`` sources.
  static func largest(in scan: ScanCheckpoint, excluded: Bool) -> [MadeUpTarget] {
    let all = scan.tally.madeUp.map { group, madeUp in
      let counted = if case .integer(let number)? = scan.tally.measures[group] { number } else { Int64(0) }
      return MadeUpTarget(
        recordName: scan.groups[group], sources: excluded ? counted.addingClamped(madeUp) : counted,
        madeUp: madeUp)
    }
    return Array(
      all.filter { $0.sources >= minSources }
        .sorted { ($1.madeUp, $0.recordName) < ($0.madeUp, $1.recordName) }.prefix(maxShown))
  }

  var json: JSONValue {
    [
      "recordName": recordName.json, "sources": sources.json, "madeUp": madeUp.json,
    ]
  }
}

extension RecountOutcome {
  var nameMetrics: [Metric] {
    guard let names = result.names else { return [] }
    let family = MetricFamily(
      "recount_names", "Records that the last recount read, by what their names say about their creator")
    let classes = [("verified", names.verified), ("own", names.own), ("made_up", names.madeUp)]
    return classes.map { Metric(family, [.init("aggregate", result.aggregate), .init("class", $0.0)], $0.1) }
  }

  var namesFailure: CommandFailure? {
    switch phase {
    case .risky(let drops, let maxDrop):
      return CommandFailure(
        "nothing was written: without made-up names \(drops.subject) would drop by more than "
          + "\(percent(maxDrop)), a risk that was not accepted: \(RecountOptions.countDropRisk)",
        code: "risk-not-accepted",
        hint: "Read what would drop (--dry-run); to publish the lower counts, add "
          + "--accept-risk \(RecountOptions.countDropRisk).")
    case .unverified(let names):
      let others = names.verified + names.madeUp + names.unknown
      return CommandFailure(
        "nothing was written: only \(names.verified) of \(others) names are the digest of their creator",
        code: "names-do-not-verify",
        hint:
          "The apps probably make names in another way, or the records come from another environment. Count with "
          + "--count-names all, and see Documentation/reference/subscriptions.md.")
    default: return nil
    }
  }

  func nameLines(_ names: NameTally) -> [StyledText] {
    guard names.madeUp > 0 || names.unknown > 0 else {
      return ["names: \(names.verified) verified, \(names.own) of this tool's keys"]
    }
    let missing = names.unknown > 0 ? ", \(names.unknown) without a creator" : ""
    let type = declaration?.source.recordType ?? ""
    return [
      "names: \(names.verified) verified, \(names.own) of this tool's keys, \(names.madeUp) made up\(missing)"
    ]
      + result.madeUpTargets.prefix(5).map {
        "  \(titles[$0.recordName] ?? $0.recordName): \(counted($0.sources, "\(type) record")), \($0.madeUp) of them with names that their creator cannot have"
      }
  }
}
