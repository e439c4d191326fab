package import CloudKitModel
internal import Cryptography
package import Diagnostics
package import SchemaLanguage

/// The plan of a schema import: what it changes in one container, with everything needed to apply exactly that later.
package struct SchemaPlan: Sendable, Hashable {
  package let target: ContainerIdentity
  /// Digest of the schema the plan was made against.
  package var base: String { current.digest }
  /// The whole schema to import, canonical: an import replaces everything.
  package var text: String { wanted.canonicalText }
  package let changes: [SchemaChange]
  /// Types the file leaves out and the plan keeps, because CloudKit manages them.
  package let kept: [String]
  /// What ``text`` declares.
  let wanted: Schema
  /// The schema that the plan was made against.
  package let current: Schema
  /// Whether the container got the schema of this saved plan after the plan was made, for example in a run that failed
  /// later. Then ``changes`` is empty.
  package private(set) var isAlreadyApplied = false

  /// The plan that makes a container's schema `wanted`.
  ///
  /// - Parameter production: production's schema where it can be had: development refuses to drop what is in it. A plan for
  ///   production has it as `current`.
  package init(target: ContainerIdentity, current: Schema, wanted: Schema, production: Schema? = nil) {
    let (completed, kept) = wanted.completedForImport(replacing: current)
    self.target = target
    self.kept = kept
    self.wanted = completed
    self.current = current
    changes = SchemaDiff.changes(
      from: current, to: completed, production: target.environment == .production ? current : production)
  }

  /// The risks that must be accepted by name; in production, those of a deployment.
  package var risks: Set<String> {
    Set((target.environment == .production ? changes.deployed : changes).risks)
  }

  /// The changes that development refuses even if all risks are accepted. With one of them, the plan can be neither
  /// applied nor deployed.
  package var refused: [SchemaChange] { changes.filter { $0.development == .refused } }

  /// What production has, the plan lacks and development could give up: a deployment is not known to remove it.
  var lasting: [SchemaChange] {
    target.environment != .production
      ? [] : changes.filter { $0.kind.isRemoval && $0.development != .refused }
  }

  /// The plan with a digest of everything in it. Its changes are made again when it is read.
  package var json: JSONValue { SavedSchemaPlan(target: target, base: base, text: text).json }

  /// Reads a plan, alone or as the `plan` of a command's JSON result, against the container's schema as it is now.
  ///
  /// A plan whose schema the container already has is complete: ``isAlreadyApplied``. Throws ``FileFormError`` when
  /// the text is not a plan, was edited, or the container's schema changed to another one since.
  ///
  /// - Parameters:
  ///   - container: where the plan is to be applied. Throws ``CommandFailure`` if it was made for another place.
  ///   - production: production's schema where it can be had.
  package init(
    parsing bytes: [UInt8], for container: ContainerIdentity, current: Schema, production: Schema? = nil
  ) throws {
    let document = try SavedPlanDocument<SavedSchemaPlan>(parsing: bytes)
    let (target, base) = (document.plan.target, document.plan.base)
    // First, because the schema of another container differs from the plan's for that reason alone.
    try target.requirePlanTarget(container)
    self.init(
      target: target, current: current, wanted: try Schema(parsing: document.plan.text),
      production: production)
    isAlreadyApplied = base != current.digest && changes.isEmpty
    // Its list of changes cannot be made again, but nothing of it is left to do.
    if isAlreadyApplied { return }
    guard base == current.digest else {
      throw FileFormError("the container's schema has changed since the plan was made; make it again")
    }
    try document.requireShown(isShown)
  }

  private func isShown(in result: JSONValue) -> Bool {
    guard let shown = result["changes"]?.array else { return true }
    let own = SchemaDiffJSON.render(changes)["changes"]?.array ?? []
    // Production and the settings may have changed since, and with them verdicts and hints.
    func lasting(_ change: JSONValue) -> JSONObject? {
      var change = change.object
      for key in ["development", "production", "exception", "hint"] { change?[key] = nil }
      return change
    }
    return result["risks"] == .array(risks.sorted().map(JSONValue.string))
      && shown.map(lasting) == own.map(lasting)
  }

  /// Why the plan cannot be applied, even if all risks are accepted.
  ///
  /// - Parameter file: the schema file of the plan; `nil` for a saved plan.
  package func impossibility(of file: String?) -> CommandFailure? {
    let isProduction = target.environment == .production
    if !changes.isEmpty, lasting.count == changes.count {
      return CommandFailure(
        "CloudKit takes no schema import in production, and a deployment is not known to remove anything; nothing was changed",
        code: "production-refuses-import",
        hint: "'celestra-admin schema plan' prints what production keeps, and how to accept the rest.")
    }
    if isProduction, refused.isEmpty {
      return CommandFailure(
        "CloudKit takes no schema import in production; nothing was changed. Deploy it in the CloudKit Console:",
        details: Self.consoleSteps(for: file), code: "production-refuses-import",
        hint: "On a local container and on the emulator, 'celestra-admin schema promote' deploys it.")
    }
    guard !refused.isEmpty else { return nil }
    let refusal = "development refuses \(counted(refused.count, "change")) of the plan"
    return CommandFailure(
      isProduction
        ? "CloudKit takes no schema import in production, and \(refusal), so it cannot be deployed; nothing was changed"
        : "\(refusal); nothing was changed",
      details: refused.map { "\($0.heading): \($0.sign) \($0.summary)" },
      code: isProduction ? "production-refuses-import" : "development-refuses",
      hint: [
        refused.contains(where: \.kind.isRemoval) ? "Keep in the file what production already has." : nil,
        refused.allSatisfy(\.kind.isRemoval) ? nil : "Add a field instead of changing one.",
      ].compactMap(\.self).joined(separator: " "))
  }
}

struct SavedSchemaPlan: SavedPlan {
  var target = ContainerIdentity(name: "", environment: .development)
  var base = ""
  var text = ""

  static let form = FileForm("a saved schema plan", kind: "celestra-admin schema plan")
  static let members: [FileMember<Self>] = [
    FileMember("container", \.target.name), FileMember("environment", \.target.environment),
    FileMember("containerID", optional: \.target.id),
    FileMember("base", \.base), FileMember("schema", \.text),
  ]
}

extension Schema {
  /// The digest of the schema's meaning. The order in which the service lists roles has no effect on it.
  package var digest: String { SHA256.hex(normalized.canonicalText) }
}

extension SchemaManager {
  /// The schema this container has now; throws as ``parsedSchema(name:)`` does.
  package func currentSchema() async throws -> Schema { try await parsedSchema().schema }

  /// The schema this container has now, with the places of its declarations in the exported text.
  ///
  /// Throws ``ContainerFailure`` unless the whole answer is a valid schema. A login page, an empty answer or a
  /// construct that this version does not know must never be compared: what was left out would look like a change.
  ///
  /// - Parameter name: what diagnostics call the exported text.
  package func parsedSchema(name: String = "the container's schema") async throws -> ParsedSchema {
    let parsed = SchemaParser.parse(SourceText(name: name, try await exportSchema()))
    let errors = SchemaValidator.diagnostics(parsed).filter { $0.severity == .error }
    guard errors.isEmpty else {
      let shown = SchemaError(Array(errors.prefix(5))).description.replacing("\n", with: "; ")
      let rest = errors.count > 5 ? "; and \(errors.count - 5) more" : ""
      throw ContainerFailure(
        .unusableAnswer, "the container's schema does not parse: \(shown)\(rest)",
        hint:
          "Look at the answer with 'cktool export-schema'. If it is a web page, a proxy or another server "
          + "answered in CloudKit's place; if it is a schema, this version cannot read all of it.")
    }
    return parsed
  }

  /// Imports the plan's schema, and reads it back to make sure that the import succeeded.
  ///
  /// Throws ``ContainerFailure`` when the schema moved since the plan was made, when the container finds the text
  /// invalid, or when what it has afterwards is something else, ``UnreadSchemaImport`` when it cannot be read
  /// afterwards, and ``UnseenSchemaImport`` when it is still the former one. An import that replaces another's between
  /// the first reading and its own import stays unknown: CloudKit has neither a lock nor a version of the schema.
  package func apply(_ plan: SchemaPlan) async throws {
    guard try await currentSchema().digest == plan.base else {
      throw ContainerFailure(
        .storage, "the container's schema has changed since the plan was made; nothing was imported",
        hint: "Make the plan again and review it.")
    }
    // If the import is atomic, no separate validation is needed.
    if !importsInOneStep, let reason = try await validateSchema(plan.text) {
      throw ContainerFailure(.storage, "the container refuses the schema: \(reason)")
    }
    var unseen: UnseenSchemaImport?
    do { try await importSchema(plan.text) } catch let error as UnseenSchemaImport { unseen = error }
    let imported: Schema
    do { imported = try await currentSchema() } catch { throw UnreadSchemaImport(error) }
    let missing = SchemaDiff.changes(from: imported, to: plan.wanted)
    guard !missing.isEmpty else { return }
    if let unseen, imported.digest == plan.base { throw unseen }
    throw ContainerFailure(
      .unusableAnswer,
      "the schema was imported, and another import has replaced it since. Of the plan the container lacks: "
        + missing.map { "\($0.heading): \($0.sign) \($0.summary)" }.joined(separator: "; "),
      hint: "Find out who imports to this container, then make a new plan.")
  }
}
