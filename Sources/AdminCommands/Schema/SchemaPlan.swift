internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaPlanCommand: AdminCommand {
  static let title = "schema plan"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what importing a schema file would change in the container.",
    discussion: """
      An import replaces the whole schema: what the file leaves out is dropped. With --output plan.json the plan is \
      saved as JSON, for 'schema apply --plan plan.json'. A local container that is not there yet counts as empty: \
      applying makes it.
      """)

  @Argument(help: "The schema file; - reads standard input.", completion: .file(extensions: ["ckdb"]))
  var file: String
  @Flag(help: "End with status 2 when there is something to do.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPlanCommand>

  func perform(in session: Session) async throws -> any Report {
    let plan = try await session.schemaPlan(of: file)
    return plan.commandResult(
      exitCode && !plan.changes.isEmpty ? .differences : .done,
      makesContainer: try session.isContainerMissing)
  }
}

extension Session {
  func schemaPlan(of file: String) async throws -> SchemaPlan {
    let wanted = try await validSchema(in: file).schema
    let container = try await schemaContainer(canBeNew: true)
    return SchemaPlan(
      target: try target, current: try await container.currentSchema(), wanted: wanted,
      production: try await productionSchema())
  }
}

extension SchemaPlan {
  /// - Parameter makesContainer: there is no container yet, and applying the plan makes it.
  func commandResult(_ status: ExitStatus, makesContainer: Bool) -> CommandResult {
    var json = SchemaDiffJSON.render(changes).object ?? [:]
    json["risks"] = .array(risks.sorted().map(JSONValue.string))
    json["kept"] = .array(kept.map(JSONValue.string))
    json["makesContainer"] = .bool(makesContainer)
    json["plan"] = self.json
    let isConfirmation = changes.isEmpty && !makesContainer
    let made: PrintableText =
      makesContainer ? "\(target.name) is not there yet; applying this makes it\n" : ""
    return CommandResult(status, isConfirmation: isConfirmation, json: .object(json)) { format, style in
      format == .markdown
        ? PrintableText(SchemaDiffMarkdown.render(changes)) + (made.isEmpty ? "" : "\n\(made)")
        : SchemaDiffText.render(changes, color: style.isColored) + made + footer(style)
    }
  }

  private func footer(_ style: Style) -> PrintableText {
    let kept = self.kept.map { name -> PrintableText in
      "kept: \(name), which CloudKit manages and the file leaves out\n"
    }
    return kept.joined() + style.demand(for: risks)
  }
}
