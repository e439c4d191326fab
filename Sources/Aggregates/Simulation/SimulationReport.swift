package import Diagnostics
internal import RecordChanges

/// The report of `container fill`.
package struct SimulationReport: Report {
  private let simulation: any RecordSimulation
  private let outcome: SimulationOutcome
  private let isDryRun: Bool

  /// - Parameter outcome: of a dry run, the records that are in the container already.
  package init(_ simulation: any RecordSimulation, _ outcome: SimulationOutcome, isDryRun: Bool = false) {
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
    var json = simulation.json(present: isDryRun ? simulation.count : outcome.present)
    json["written"] = JSONValue(outcome.written)
    json["unchanged"] = JSONValue(outcome.unchanged)
    json["remaining"] = JSONValue(simulation.count - outcome.present)
    json["dryRun"] = .bool(isDryRun)
    return .object(json)
  }

  package var body: ReportBody {
    if isDryRun {
      let skipped = outcome.unchanged > 0 ? "; \(outcome.unchanged) exist already and stay as they are" : ""
      "would create \(counted(simulation.count - outcome.unchanged, simulation.noun)) of \(simulation.origin)\(skipped)"
    } else {
      let present = outcome.present == simulation.count ? "" : "\(outcome.present) of "
      let old = outcome.unchanged > 0 ? ", \(outcome.unchanged) of them from an earlier run" : ""
      "\(present)\(counted(simulation.count, simulation.noun)) of \(simulation.origin)\(old)"
    }
  }
}
