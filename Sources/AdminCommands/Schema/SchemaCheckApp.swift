internal import AppCode
internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

/// The command `schema check-app`.
struct SchemaCheckApp: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .sarif, .junit, .github]
  static let configuration = CommandConfiguration(
    commandName: "check-app", abstract: "Find what an app's code uses and a schema lacks.",
    discussion: """
      Reads Swift files and Core Data models: record types and fields, filters and sorts that need an index. A type or \
      field that only Development has works for the app's developers and fails for all users. A name that only running \
      the code shows is counted as undecided.

      SCHEMA is a file, git:REF:PATH, or the schema of a container: container:production.

      Example: celestra-admin schema check-app App --schema schema/app.ckdb
      Example: celestra-admin schema check-app App --schema container:production --format github
      """)

  @Argument(
    help: "Swift files, .xcdatamodeld models, or folders with both.", completion: .file(extensions: ["swift"])
  )
  var paths: [String]
  @Option(
    help: ArgumentHelp("The schema to compare with.", valueName: "schema"),
    completion: .file(extensions: ["ckdb"]))
  var schema: String
  @Option(
    help: ArgumentHelp(
      "The lowest severity that ends with status 3: error, warning or note.", valueName: "severity"),
    completion: EnumOption.words(Diagnostic.Severity.self), transform: EnumOption.parse)
  var failOn = Diagnostic.Severity.error
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaCheckApp>

  func perform(in context: CommandContext) async throws -> any Report {
    let declared = try await SchemaArgument(schema).loadValid(context).parsed
    let files = try AppFiles(paths)
    let check = AppCheck(try files.uses(), against: declared)
    let status: ExitStatus = check.findings.contains { $0.severity >= failOn } ? .findings : .done
    let undecided = check.undecided.isEmpty ? "" : ", \(counted(check.undecided.count, "undecided name"))"
    var report = FindingsReport(
      check.findings, inputs: files.paths,
      rules: AppRule.rules + AppQueryProblem.Kind.allCases.map(\.rule), status: status,
      summary: "\(counted(check.uses.count, "use")) in \(counted(files.paths.count, "file"))\(undecided)")
    report.maxAnnotations = context.maxAnnotations
    report.details["uses"] = .array(check.uses.map(json))
    report.details["undecided"] = JSONValue(check.undecided.count)
    report.details["undecidedPlaces"] = .array(
      check.undecided.map { ["file": .string($0.source.name), "line": JSONValue($0.start.line)] })
    return report
  }

  private func json(_ checked: AppCheck.CheckedUse) -> JSONValue {
    let use = checked.use
    return .object([
      "file": .string(use.place.source.name), "line": JSONValue(use.place.start.line),
      "kind": .string(use.kind.rawValue),
      "name": .string([use.recordType, use.field].compactMap(\.self).joined(separator: ".")),
      "declared": .bool(checked.isDeclared), "indexed": checked.isIndexed.map(JSONValue.bool),
    ])
  }
}

/// The Swift files and the current Core Data models of an app.
struct AppFiles {
  private(set) var paths: [String] = []

  /// Throws ``CommandFailure`` where there is nothing to read.
  init(_ arguments: [String]) throws {
    for argument in arguments {
      guard try FileKind(argument) == .folder else {
        guard
          try FileKind(argument) == .missing || argument == "-" || argument.hasSuffix(".swift")
            || Self.isModel(argument)
        else {
          throw Self.noCode(argument)
        }
        paths.append(argument)
        continue
      }
      let swift = try FolderTree.files(below: argument, endingWith: ".swift")
      let models = try FolderTree.files(below: argument, endingWith: "contents").filter(Self.isCurrentModel)
      guard !(swift + models).isEmpty else { throw Self.noCode(argument) }
      paths += (swift + models).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }.sorted()
    }
  }

  private static func noCode(_ path: String) -> CommandFailure {
    CommandFailure(
      "\(path): no Swift file and no Core Data model", code: "no-code",
      hint: "Name Swift files, models, or folders with some of them.")
  }

  private static func isModel(_ path: String) -> Bool { path.hasSuffix("/contents") }

  func uses() throws -> AppUses {
    var uses = AppUses(swift: try paths.filter { !Self.isModel($0) }.map(InputFile.source))
    for path in paths where Self.isModel(path) {
      do { uses.add(try CoreDataModel.uses(in: InputFile.source(path), of: uses)) } catch let failure
        as CoreDataModel.Failure
      {
        throw CommandFailure(failure.message, code: "bad-input")
      }
    }
    return uses
  }

  /// Whether a file is the model of its bundle's current version: `App.xcdatamodeld/App 2.xcdatamodel/contents`.
  private static func isCurrentModel(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[parts.count - 2].hasSuffix(".xcdatamodel") else { return false }
    guard parts.count >= 3, parts[parts.count - 3].hasSuffix(".xcdatamodeld") else { return true }
    let version = parts.dropLast(2).joined(separator: "/") + "/.xccurrentversion"
    guard let source = try? InputFile.source(version), let name = CoreDataModel.currentVersion(in: source)
    else {
      return true
    }
    return parts[parts.count - 2] == name
  }
}
