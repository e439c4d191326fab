internal import AppCode
internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

struct SchemaCheckApp: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .sarif, .junit, .github]
  static let configuration = CommandConfiguration(
    commandName: "check-app", abstract: "Find what an app's code uses and a schema lacks.",
    discussion: """
      Reads Swift files and Core Data models: record types and fields, filters and sorts that need an index. A type or \
      field that only Development has works for the app's developers and fails for all users. A name that only running \
      the code shows is counted as undecided. schema.allowedFindings of celestra-admin.json accepts a finding \
      in all files, the comment '// celestra:ignore AP0102 reason' what is found at its line of Swift.

      SCHEMA is a file, git:REF:PATH, or the schema of a container: container:production.

      Example: celestra-admin schema check-app App --schema schema/app.ckdb
      Example: celestra-admin schema check-app App --schema container:production --format github
      """)

  @Argument(
    help: "Swift files, .xcdatamodeld models, or folders with both.", completion: .file(extensions: ["swift"])
  )
  var paths: [String]
  @Option("The schema to compare with.", value: "schema", completion: .schemaFile) var schema: String
  @Option(
    "Exit with status 3 for findings of at least this severity: error (the default), warning or note.",
    word: "severity")
  var failOn = Diagnostic.Severity.error
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaCheckApp>

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try context.envelope(for: Self.title, naming: schema)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let declared = try await SchemaArgument(schema).loadValid(context).parsed
    let settings = try context.validLintConfiguration()
    let files = try AppFiles(paths)
    let check = AppCheck(
      try files.uses(), against: declared, allowing: settings.allowedFindings,
      besides: { context.otherSchemas(than: [schema]) ?? [] })
    let accepted = check.acceptedCount == 0 ? "" : ", \(check.acceptedCount) accepted"
    let undecided =
      check.undecided.isEmpty
      ? "" : ", \(counted(check.undecided.count, "undecided name")) ('--format json' has the places)"
    var report = FindingsReport(
      check.findings, inputs: files.paths, failOn: failOn, maxAnnotations: context.maxAnnotations,
      summary:
        "\(counted(check.uses.count, "use")) in \(counted(files.count, "file"))\(accepted)\(undecided)")
    report.acceptance = check.acceptance
    report.details["accepted"] = check.acceptedCount.json
    report.details["uses"] = .array(check.uses.map(json))
    report.details["undecided"] = check.undecided.count.json
    report.details["undecidedPlaces"] = .array(
      check.undecided.map { place in
        [
          "file": place.source.name.json, "line": place.start.line.json,
          "name": check.name(place).json, "reason": check.reason(place).json,
        ]
      })
    return report
  }

  private func json(_ checked: AppCheck.CheckedUse) -> JSONValue {
    let use = checked.use
    return .object([
      "file": use.place.source.name.json, "line": use.place.start.line.json, "kind": use.kind.rawValue.json,
      "name": .string([use.recordType, use.field].compactMap(\.self).joined(separator: ".")),
      "declared": checked.isDeclared.json, "indexed": checked.isIndexed?.json,
    ])
  }
}

/// The Swift files and the current Core Data models of an app.
struct AppFiles {
  /// Each file once, and the folder of each model whose current version no file names.
  private(set) var paths: [String] = []

  var count: Int { paths.count { !$0.hasSuffix(CoreDataModel.folderEnding) } }

  /// Throws ``CommandFailure`` where there is nothing to read.
  init(_ arguments: [String]) throws {
    var known: Set<String> = []
    for argument in arguments {
      let found = try Self.files(argument).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
      paths += found.sorted().filter { known.insert($0).inserted }
    }
  }

  private static func files(_ argument: String) throws -> [String] {
    let kind = try FileKind(argument)
    guard kind == .folder else {
      guard kind == .missing || argument == "-" || argument.hasSuffix(".swift") || isModel(argument) else {
        throw noCode(argument)
      }
      return [argument]
    }
    let models = try FolderTree.files(below: argument, endingWith: "contents").compactMap { path in
      try path.hasSuffix(".xcdatamodel/contents") ? file(toReadFor: path, in: argument) : nil
    }
    let files = try FolderTree.files(below: argument, endingWith: ".swift") + models
    guard !files.isEmpty else { throw noCode(argument) }
    return files
  }

  private static func noCode(_ path: String) -> CommandFailure {
    CommandFailure(
      "\(path): no Swift file and no Core Data model", code: "no-code",
      hint: "Name Swift files, models, or folders with some of them.")
  }

  private static func isModel(_ path: String) -> Bool { path.hasSuffix("/contents") }

  func uses() throws -> AppUses {
    var uses = AppUses(swift: try paths.filter { !Self.isOfModel($0) }.map(InputFile.source))
    for path in paths where Self.isOfModel(path) {
      let isFolder = try FileKind(path) == .folder
      let source = try isFolder ? SourceText(name: path, "") : InputFile.source(path)
      uses.add(CoreDataModel.uses(in: source, of: uses))
    }
    return uses
  }

  private static func isOfModel(_ path: String) -> Bool {
    isModel(path) || path.hasSuffix("/\(CoreDataModel.versionFile)")
      || path.hasSuffix(CoreDataModel.folderEnding)
  }

  /// The model itself, if it is its bundle's current version, as in `App.xcdatamodeld/App 2.xcdatamodel/contents`, or the
  /// folder that was named; `nil` for another version; and where the current version is missing, the file that names it, or
  /// the bundle without such a file.
  private static func file(toReadFor model: String, in argument: String) throws -> String? {
    let parts = model.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[parts.count - 3].hasSuffix(CoreDataModel.folderEnding),
      !argument.hasSuffix(".xcdatamodel")
    else { return model }
    let bundle = parts.dropLast(2).joined(separator: "/")
    let version = "\(bundle)/\(CoreDataModel.versionFile)"
    let isNamed = try FileKind(version) != .missing
    guard isNamed, let name = CoreDataModel.currentVersion(in: try InputFile.source(version)) else {
      // Xcode writes no file for a model of one version.
      guard try FolderTree.files(below: bundle, endingWith: "contents").count > 1 else { return model }
      return isNamed ? version : bundle
    }
    let current = "\(bundle)/\(name)/contents"
    if current == model { return model }
    return try FileKind(current) == .missing ? version : nil
  }
}
