internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import Platform

/// The schemas with which `schema init` can begin, from what the binary carries.
enum SchemaTemplate: String, CaseIterable, ExpressibleByArgument {
  case celestra, sessions, empty

  /// All texts that `schema init` writes as a schema.
  static var texts: [[UInt8]] { allCases.map(\.text) + [PackageResources.starter_ckdb] }

  var text: [UInt8] {
    switch self {
    case .celestra: PackageResources.celestra_ckdb
    case .sessions: PackageResources.live_sessions_ckdb
    case .empty: PackageResources.empty_ckdb
    }
  }

  /// The file that declares what is moderated; `nil` for a schema without it.
  var moderation: [UInt8]? { self == .sessions ? PackageResources.moderation_json : nil }
}

struct SchemaInit: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented schema, settings and a workflow for GitHub.",
    discussion: """
      Without --template the schema is a short example of public and private types, roles and relations. celestra-admin.json \
      has each setting of schemas with a comment: the database is public, the others are empty. \
      .github/workflows/schema.yml checks each pull request without a secret. In a git work tree both go into its root. The template sessions has moderation.json, too. A file that exists is kept. To start with the schema of a container, run 'schema pull' on the \
      file afterwards.

      Example: celestra-admin schema init schema/app.ckdb
      Example: celestra-admin schema init schema/catalog.ckdb --template celestra
      """)

  @Argument(help: "The schema file.", completion: .schemaFile) var file = "schema/app.ckdb"
  @Option(
    "Begin with the catalog's schema (celestra), that of live sessions (sessions), or without types of your own (empty).",
    value: "name")
  var template: SchemaTemplate?
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInit>

  func validate() throws { try SchemaFiles.requireFiles([file], for: "schema init") }

  func perform(in context: CommandContext) async throws -> any Report {
    let folders = try context.process.foldersInWorkTree()
    let files = try StarterFiles.project(
      schema: file, from: template?.text ?? PackageResources.starter_ckdb, moderation: template?.moderation,
      below: folders)
    // The settings, when they are the first ones, move the default container to the root of the work tree.
    let movesDefault =
      try !folders.isEmpty && context.settings.projectFile == nil
      && context.settings.lookup(.container, .cloudKitContainer) == nil
    let makesContainer = try movesDefault || context.isContainerMissing
    if !dryRun { try files.write() }
    let (path, workflow) = (files.files[0].path, files.files[2].path)
    let hasSeeds = SeedFolder.nearest(to: context.process.directory) != nil
    let isOwn = template == nil || template == .empty
    let isKept = files.files.contains { $0.exists && $0.path.hasSuffix("moderation.json") }
    let fromRoot = (folders + [path]).joined(separator: "/")
    let kept =
      try files.files[2].exists ? String(decoding: InputFile.source(workflow).bytes, as: UTF8.self) : nil
    let remark: StyledText? =
      if let kept, !kept.split(whereSeparator: \.isWhitespace).contains(where: { $0 == fromRoot }) {
        "\(workflow), which was there before, does not name \(fromRoot): add it to its paths and its schemas."
      } else if kept?.contains("uses: OWNER/celestra-admin@REF") ?? true {
        "For GitHub, replace OWNER/celestra-admin@REF in \(workflow) by the repository and a commit of celestra-admin."
      } else {
        nil
      }
    let container =
      makesContainer
      ? ["celestra-admin container init --schema \(path.shellWord)"]
      : files.files[0].exists ? [] : ["celestra-admin schema apply \(path.shellWord)"]
    return files.report(
      isWritten: !dryRun,
      next: template == .celestra
        ? container + (hasSeeds ? [] : ["celestra-admin seed init"]) + ["celestra-admin seed plan"]
        : ["celestra-admin schema lint \(path.shellWord)"] + container,
      when: files.files[0].exists
        ? nil
        : isOwn
          ? "when your record types are in \(path)"
          : isKept ? "when moderation.json, which was there before, declares the types of \(path)" : nil,
      remark: remark)
  }
}

/// The files with which a project starts. Files that exist are kept.
struct StarterFiles {
  /// Each by its path from the working directory.
  let files: [(path: String, text: String, exists: Bool)]

  init(_ texts: [(path: String, text: String)]) throws {
    files = try texts.map { ($0.path, $0.text, try FileKind($0.path) != .missing) }
  }

  /// The paths that the templates name: of the schema, and of the queries beside it.
  private static let (templatePath, templateQueries) = ("schema/app.ckdb", "schema/app-queries.json")

  /// A schema, settings and a workflow. Throws ``CommandFailure`` for a path that a workflow cannot name.
  ///
  /// - Parameters:
  ///   - schema: the path of the schema, below the working directory.
  ///   - template: its text.
  ///   - moderation: what the file moderation.json says; `nil` writes none.
  ///   - folders: the folders from the root of the work tree to the working directory; empty outside of a work tree.
  static func project(schema: String, from template: [UInt8], moderation: [UInt8]?, below folders: [String])
    throws -> StarterFiles
  {
    let names = schema.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !schema.hasPrefix("/"), !names.isEmpty, !names.contains("..") else {
      throw CommandFailure.usage(
        "'\(schema)' is not a file below this folder; give a path such as schema/app.ckdb")
    }
    let fromRoot = (folders + names).joined(separator: "/")
    guard fromRoot.utf8.allSatisfy(isPlain) else {
      throw CommandFailure.usage(
        "a workflow cannot name '\(fromRoot)'; use letters, digits, '.', '_', '-' and '/'")
    }
    let queries = ((folders + names).dropLast() + ["app-queries.json"]).joined(separator: "/")
    let root = folders.map { _ in "../" }.joined()
    var texts = [
      (names.joined(separator: "/"), template),
      ("\(root)celestra-admin.json", PackageResources.starter_json),
      ("\(root).github/workflows/schema.yml", PackageResources.review_yml),
    ]
    if let moderation { texts.append(("\(root)moderation.json", moderation)) }
    return try StarterFiles(
      texts.map { path, text in
        (
          path,
          String(decoding: text, as: UTF8.self).replacing(templateQueries, with: queries)
            .replacing(templatePath, with: fromRoot)
        )
      })
  }

  /// A path of other letters could mean something to YAML, or to GitHub's patterns and expressions.
  private static func isPlain(_ letter: UInt8) -> Bool {
    letter.isASCIILetter || letter.isASCIIDigit || "._-/".utf8.contains(letter)
  }

  /// Writes the files that do not exist.
  func write() throws {
    for file in files { try RunFiles.use(file.path, as: "another file that this command writes") }
    for file in files where !file.exists {
      if file.path.contains("/") { try FolderTree.make(FileKind.folder(of: file.path)) }
      try OutputFile.write(file.text, to: file.path, replacesInput: true)
    }
  }

  /// - Parameter next: the commands to run then, in their order. Each works as it is printed, after those before it.
  func report(
    isWritten: Bool, next: [String], when condition: String? = nil, remark: StyledText? = nil
  ) -> PlainReport {
    let list = files.map { file -> JSONValue in
      [
        "path": file.path.json, "existed": file.exists.json, "written": .bool(isWritten && !file.exists),
      ]
    }
    return PlainReport(json: ["files": .array(list)], isConfirmation: isWritten) {
      for file in files { "\(file.exists ? "kept" : isWritten ? "wrote" : "would write") \(file.path)" }
      if files.contains(where: \.exists) { "a file that exists is never changed" }
      if isWritten {
        Section("Next\(condition.map { ", \($0)" } ?? "")") { for command in next { "\(command, .code)" } }
        remark
      }
    }
  }
}
