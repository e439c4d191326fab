package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

/// The report of `person check`: how each record type can be searched for a person, without one.
package struct PersonSearchReport: Report {
  private let plan: PersonSearchPlan
  private let container: ContainerIdentity

  /// - Parameter container: where the plan was made.
  package init(_ plan: PersonSearchPlan, in container: ContainerIdentity) {
    self.plan = plan
    self.container = container
  }

  package var failure: CommandFailure? { plan.types.searchFailure }
  package var isConfirmation: Bool { plan.isComplete }

  package var json: JSONValue {
    let types = plan.types.map { type in
      type.json([
        "identifiers": .array(type.identifiers.map { .string($0.name) }),
        "mayErase": .string(type.mayDelete.rawValue),
      ])
    }
    return PersonalDataPlaces(container).json(
      after: ["types": .array(types), "complete": .bool(plan.isComplete)])
  }

  package var body: ReportBody {
    var table = Table([
      .init("record type"), .init("searched"), .init("may name a person"), .init("may delete"),
    ])
    for type in plan.types {
      let mayDelete =
        switch type.mayDelete {
        case .yes: "yes"
        case .unknown: "unknown"
        case .no, .own, .noRole: "no"
        }
      table.add(
        StyledText(type.recordType, type.problem == nil ? .plain : .caution), "\(type.way)",
        "\(type.identifiers.map(\.name).joined(separator: ", "))", "\(mayDelete)")
    }
    table
    PersonalDataPlaces(container).body
  }
}
