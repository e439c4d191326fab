public import CloudKitModel
internal import Cryptography
public import Diagnostics

/// The file of a saved plan: JSON with a digest of everything else in it, alone or as the `plan` of a command's JSON
/// result.
struct SavedPlanDocument {
  let plan: JSONValue
  /// The result that the plan is in; `nil` for a plan alone.
  private let result: JSONValue?

  /// - Parameter name: what the file should be, for the error.
  init(parsing bytes: [UInt8], kind: String, name: String) throws(ChangeCodingError) {
    let document: JSONValue
    do throws(JSONSyntaxError) { document = try JSONValue(parsing: bytes) } catch {
      throw ChangeCodingError("the file is not JSON: \(error.message)")
    }
    result = document["result"]?["plan"] == nil ? nil : document["result"]
    plan = result?["plan"] ?? document
    guard plan["kind"]?.string == kind else { throw ChangeCodingError("the file is not \(name)") }
  }

  /// The container and environment that the plan was made for; `nil` if it does not say.
  var target: ContainerIdentity? {
    guard let name = plan["container"]?.string,
      let environment = plan["environment"]?.string.flatMap(Environment.init(rawValue:))
    else { return nil }
    return ContainerIdentity(name: name, environment: environment)
  }

  /// A plan with the digest of its content.
  static func sealed(_ content: JSONObject) -> JSONValue {
    var plan = content
    plan["digest"] = .string(SHA256.hex(JSONValue.object(content).bytes()))
    return .object(plan)
  }

  /// Throws unless the plan's digest is that of its content, which was read from it.
  func requireDigest(of content: JSONObject) throws(ChangeCodingError) {
    guard plan["digest"] == Self.sealed(content)["digest"] else {
      throw ChangeCodingError("the plan was edited after it was made: its digest does not match")
    }
  }

  /// Throws if the result around the plan, which the digest does not cover, shows other changes than the plan would make.
  func requireShown(_ isSame: (_ result: JSONValue) -> Bool) throws(ChangeCodingError) {
    guard let result, !isSame(result) else { return }
    throw ChangeCodingError(
      "the file was edited after it was made: its list of changes differs from the plan in it")
  }
}

extension ContainerIdentity {
  /// Throws ``CommandFailure`` when a plan that was made for this container is to be applied to another one, or in
  /// another environment.
  public func requirePlanTarget(_ wanted: ContainerIdentity) throws(CommandFailure) {
    guard self != wanted else { return }
    throw CommandFailure(
      "the plan was made for \(name) (\(environment.rawValue)), not for \(wanted.name) (\(wanted.environment.rawValue))",
      code: "bad-plan")
  }
}
