package import Diagnostics
internal import RecordChanges

/// The report of `container fill`.
package struct SubscriptionSimulationReport: Report {
  private let simulation: SubscriptionSimulation
  private let outcome: SubscriptionSimulation.Outcome
  private let isDryRun: Bool

  /// - Parameter outcome: of a dry run, the records that are in the container already.
  package init(
    _ simulation: SubscriptionSimulation, _ outcome: SubscriptionSimulation.Outcome, isDryRun: Bool = false
  ) {
    self.simulation = simulation
    self.outcome = outcome
    self.isDryRun = isDryRun
  }

  package var isConfirmation: Bool { !isDryRun }

  package var failure: CommandFailure? {
    var failure = outcome.unfinished?.failure
    // The unfinished report is of the last batch only; records of earlier batches are in the container as well.
    if failure?.status == .failed, outcome.present > 0 { failure?.status = .partial }
    return failure
  }

  package var json: JSONValue {
    [
      "subscriptions": JSONValue(isDryRun ? simulation.count : outcome.present),
      "users": JSONValue(simulation.users), "madeUp": JSONValue(simulation.madeUp),
      "written": JSONValue(outcome.written), "unchanged": JSONValue(outcome.unchanged),
      "remaining": JSONValue(simulation.count - outcome.present), "dryRun": .bool(isDryRun),
    ]
  }

  package var body: ReportBody {
    let madeUp = simulation.madeUp > 0 ? ", \(simulation.madeUp) of them with made-up names" : ""
    let users = "\(counted(simulation.users, "user"))\(madeUp)"
    if isDryRun {
      let skipped = outcome.unchanged > 0 ? "; \(outcome.unchanged) exist already and stay as they are" : ""
      "would create \(counted(simulation.count - outcome.unchanged, "subscription")) of \(users)\(skipped)"
    } else {
      let present = outcome.present == simulation.count ? "" : "\(outcome.present) of "
      let old = outcome.unchanged > 0 ? ", \(outcome.unchanged) of them from an earlier run" : ""
      "\(present)\(counted(simulation.count, "subscription")) of \(users)\(old)"
    }
  }
}
