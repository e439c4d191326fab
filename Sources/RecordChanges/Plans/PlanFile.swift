package import CloudKitModel
internal import Cryptography
package import Diagnostics

/// A saved plan. It is applied later exactly as it was reviewed.
package struct PlanFile: Sendable, Hashable {
  /// The command that made the plan, and the only one that can apply it: `seed`.
  package var command: String
  package var target: ContainerIdentity
  package var created: Timestamp
  package var changes: [RecordChange]
  /// The conflicts that need a decision. With them, applying the saved plan ends with the same exit status as
  /// applying the seeds.
  package var conflicts: [PlanConflict] = []
  /// The git commit of what it was made from; `nil` if it is unknown.
  package var revision: String?
  /// The digest of the schema that must be applied before this plan; `nil` for a plan that was made for the schema
  /// that the container had.
  package var schemaDigest: String?
  /// What the command shows beside the changes, in a form of its own.
  package var shown: JSONObject?

  package init(
    command: String, target: ContainerIdentity, created: Timestamp, changes: [RecordChange],
    conflicts: [PlanConflict] = [], revision: String? = nil, schemaDigest: String? = nil,
    shown: JSONObject? = nil
  ) {
    self.shown = shown
    self.conflicts = conflicts
    self.revision = revision
    self.schemaDigest = schemaDigest
    self.command = command
    self.target = target
    self.created = created
    self.changes = changes
  }

  /// Reads a plan, alone or as the `plan` of a command's JSON result.
  ///
  /// Throws ``FileFormError`` when the text is not a plan, was edited, is of a newer version, or is inside a result that
  /// shows something else than the plan would do.
  package init(parsing bytes: [UInt8]) throws {
    let document = try SavedPlanDocument<PlanFile>(parsing: bytes)
    self = document.plan
    try document.requireShown(isShown)
  }

  private func isShown(in result: JSONValue) -> Bool {
    let shown = (result["changes"]?.array ?? []).map { change -> JSONValue in
      guard var object = change.object else { return change }
      object["slug"] = nil
      return .object(object)
    }
    func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }
    return shown == changes.map { .object($0.planJSON()) }
      && result["create"]?.integer.map(Int.init) ?? count(.create) == count(.create)
      && result["update"]?.integer.map(Int.init) ?? count(.update) == count(.update)
      && result["delete"]?.integer.map(Int.init) ?? count(.delete) == count(.delete)
  }

  /// A record that changed since the plan was made.
  package struct Drift: Sendable, Hashable {
    package let change: RecordChange
    package let reason: String
  }

  /// What a comparison of a plan with the container found.
  package struct Comparison: Sendable, Hashable {
    package var drift: [Drift] = []
    /// The names of the records that already are as planned. Their changes need not be sent.
    package var done: Set<String> = []
  }

  /// Compares every record of the plan with the container. A record that already has the planned values does not
  /// count as changed, because an interrupted run of this plan may have written them.
  ///
  /// - Parameters:
  ///   - references: the fields that a plan must not leave without a target: a record that the plan refers to has
  ///     gone, or something has come to refer to a record that it deletes.
  ///   - unique: the fields of which a plan must not give a record the value of another.
  ///   - retirement: the field that marks a record as retired. A plan is not to refer to a record that was retired since.
  package func compared(
    with container: some Container, references: ReferenceFields, unique: [UniqueField] = [],
    retirement: String? = nil
  ) async throws -> Comparison {
    let current = try await container.lookupAll(changes.map(\.recordName))
    var found = Comparison()
    var pending: [RecordChange] = []
    for (change, outcome) in zip(changes, current) {
      switch change.resolve(against: try outcome.found, policy: .refuse) {
      case .alreadyApplied: found.done.insert(change.recordName)
      case .conflict(let reason): found.drift.append(Drift(change: change, reason: reason))
      case .retry(let now) where now.action != change.action:
        found.drift.append(Drift(change: change, reason: "another client created it"))
      // Fields of other owners may have changed, as after a recount. The plan does not write them.
      case .retry: pending.append(change)
      }
    }
    let missing = try await MissingTargets(of: pending, references, in: container, retirement: retirement)
    let taken = try await UniqueValues(unique, in: container, for: pending).conflicts(of: pending)
    let incoming = try await IncomingReferences(
      references, in: container, to: pending.filter { $0.action == .delete })
    let kept = changes.keptDeletions(by: incoming)
    let obstacles: [(RecordChange) -> String?] = [
      { missing.reason(against: $0) }, { taken[$0.recordName] }, { kept[$0.recordName]?.reason },
    ]
    for obstacle in obstacles {
      found.drift += pending.compactMap { change in
        obstacle(change).map { Drift(change: change, reason: $0) }
      }
    }
    return found
  }
}

/// A seed that a plan cannot apply, because an editor must decide.
package struct PlanConflict: Sendable, Hashable {
  package var recordType: String
  /// A readable name of the record.
  package var slug: String
  /// The reason, in one sentence without a full stop.
  package var reason: String
  /// How to resolve the conflict.
  package var help: String?

  package init(recordType: String, slug: String, reason: String, help: String? = nil) {
    self.recordType = recordType
    self.slug = slug
    self.reason = reason
    self.help = help
  }
}

extension PlanFile: SavedPlan {
  package static let form = FileForm("a saved plan", kind: "celestra-admin plan")

  package init() {
    self.init(
      command: "", target: ContainerIdentity(name: "", environment: .development),
      created: Timestamp(milliseconds: 0), changes: [])
  }

  package static let members: [FileMember<Self>] = [
    FileMember("command", \.command), FileMember("container", \.target.name),
    FileMember("environment", \.target.environment), FileMember("containerID", optional: \.target.id),
    FileMember("created", \.created),
    FileMember("changes", \.changes), FileMember("conflicts", orEmpty: \.conflicts),
    FileMember("revision", optional: \.revision), FileMember("schemaDigest", optional: \.schemaDigest),
    FileMember("shown", optional: \.shown),
  ]
}

extension PlanConflict: FileRecord {
  package init() { self.init(recordType: "", slug: "", reason: "") }

  package static let members: [FileMember<Self>] = [
    FileMember("recordType", \.recordType), FileMember("slug", \.slug), FileMember("reason", \.reason),
    FileMember("help", optional: \.help),
  ]
}

extension PlanFile {
  /// Whether a file has a plan, alone or in the JSON result of a command that plans: a new plan may replace it.
  package static func isPlan(_ bytes: [UInt8]) -> Bool {
    do throws(FileFormError) {
      let document = try FileForm.parse(bytes)
      let kinds = [form, SavedSchemaPlan.form].map { $0.head["kind"] }
      return kinds.contains(document["kind"]) || document["command"]?.string?.hasSuffix(" plan") == true
    } catch {
      return false
    }
  }
}

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
    guard !isSameContainer(as: wanted) else { return }
    throw CommandFailure(
      "the plan was made for "
        + (self == wanted
          ? "another container that is also called \(inWords)" : "\(inWords), not for \(wanted.inWords)"),
      code: "bad-plan")
  }
}
