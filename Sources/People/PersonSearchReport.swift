public import CloudKitModel
public import Diagnostics
internal import SchemaLanguage

/// The report of `person check`: how each record type can be searched for a person, without one.
public struct PersonSearchReport: Report {
  private let plan: PersonSearchPlan
  private let container: ContainerIdentity

  /// - Parameter container: where the plan was made.
  public init(_ plan: PersonSearchPlan, in container: ContainerIdentity) {
    self.plan = plan
    self.container = container
  }

  public var failure: CommandFailure? { plan.types.searchFailure }
  public var isConfirmation: Bool { plan.isComplete }

  public var json: JSONValue {
    var json: JSONObject = [
      "types": .array(
        plan.types.map { type in
          var json: JSONObject = [
            "type": .string(type.recordType),
            "identifiers": .array(type.identifiers.map { .string($0.name) }),
            "mayErase": .string(type.mayDelete.rawValue),
          ]
          json.add(type)
          return .object(json)
        }), "complete": .bool(plan.isComplete),
    ]
    json.add(PersonalDataPlaces(container))
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let width = plan.types.map(\.recordType.count).max() ?? 0
    let lines = plan.types.map { type -> PrintableText in
      let fields = type.identifiers.map(\.name).joined(separator: ", ")
      let named = fields.isEmpty ? "" : "; \(fields) may name a person"
      let erasing =
        switch type.mayDelete {
        case .yes: ""
        case .unknown: "; whether this key may delete from it is not known"
        case .no, .own, .noRole: "; this key may not delete from it"
        }
      return
        "\(style.dim(type.problem == nil ? "·" : "!")) \(type.recordType.padded(to: width))  \(type.way)\(named)\(erasing)\n"
    }.joined()
    return lines + PersonalDataPlaces(container).text(style)
  }
}
