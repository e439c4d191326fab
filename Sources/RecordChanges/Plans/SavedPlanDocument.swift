package import CloudKitModel
internal import Cryptography
package import Diagnostics

/// A plan that is saved: JSON with a digest of everything else in it.
package protocol SavedPlan: FileRecord {
  static var form: FileForm { get }
}

extension SavedPlan {
  /// The plan with the digest of its content.
  package var json: JSONValue {
    var plan = json(after: Self.form.head)
    plan["digest"] = .string(SHA256.hex(JSONValue.object(plan).bytes()))
    return .object(plan)
  }
}

/// The file of a saved plan: the plan alone, or as the `plan` of a command's JSON result.
struct SavedPlanDocument<Plan: SavedPlan> {
  let plan: Plan
  /// The result that the plan is in; `nil` for a plan alone.
  private let result: JSONValue?

  /// Throws ``FileFormError``.
  init(parsing bytes: [UInt8]) throws {
    let document = try FileForm.parse(bytes)
    result = document["result"]?["plan"] == nil ? nil : document["result"]
    let json = result?["plan"] ?? document
    try Plan.form.check(json)
    plan = try Plan(json: json)
    guard json["digest"] == plan.json["digest"] else {
      throw FileFormError("the plan was edited after it was made: its digest does not match")
    }
  }

  /// Throws if the result around the plan, which the digest does not cover, shows other changes than the plan would make.
  func requireShown(_ isSame: (_ result: JSONValue) -> Bool) throws(FileFormError) {
    guard let result, !isSame(result) else { return }
    throw FileFormError(
      "the file was edited after it was made: its list of changes differs from the plan in it")
  }
}

extension ContainerIdentity {
  /// Throws ``CommandFailure`` when a plan that was made for this container is to be applied to another one, or in
  /// another environment.
  package func requirePlanTarget(_ wanted: ContainerIdentity) throws(CommandFailure) {
    guard self != wanted else { return }
    throw CommandFailure(
      "the plan was made for \(name) (\(environment.rawValue)), not for \(wanted.name) (\(wanted.environment.rawValue))",
      code: "bad-plan")
  }
}
