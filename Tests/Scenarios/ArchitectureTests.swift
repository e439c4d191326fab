import Foundation
import Testing

/// The page about the architecture says what Package.swift and the sources say.
@Suite struct ArchitectureTests {
  private let page: String
  private let package: PackageModules

  init() throws {
    page = try String(
      contentsOf: projectRoot.appending(path: "Documentation/Architecture.md"), encoding: .utf8)
    let manifest = projectRoot.appending(path: "Package.swift")
    package = PackageModules(try String(contentsOf: manifest, encoding: .utf8))
  }

  @Test("Package.swift and the folders of Sources have the same modules")
  func folders() throws {
    func folders(in path: String) throws -> [String] {
      let folder = projectRoot.appending(path: path)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        var isFolder: ObjCBool = false
        let child = folder.appending(path: $0).path
        return FileManager.default.fileExists(atPath: child, isDirectory: &isFolder) && isFolder.boolValue
      }
    }
    let expected = try folders(in: "Sources").filter { $0 != "System" } + folders(in: "Sources/System")
    #expect(package.modules.map(\.name).sorted() == expected.sorted())
  }

  @Test("the modules of a manifest, and what they reach through others")
  func reach() {
    let package = PackageModules(
      """
      let foundations: [Target] = [
        .target(name: "Shim", path: "Sources/System/Shim"),
        module("Base", ["Shim", other]),
        module("Middle", ["Base"]),
      ]
      let tool: [Target] = [
        module("Top", ["Middle"] + more)
      ]
      let testTargets: [Target] = [
        tests(of: "Base", ["Middle"])
      ]
      """)
    #expect(package.modules.map(\.name) == ["Shim", "Base", "Middle", "Top"])
    #expect(package.modules.map(\.isSystem) == [true, false, false, false])
    #expect(package.reach(of: "Top") == ["Shim", "Base", "Middle"])
  }

  @Test("each module has a row, and depends on none that it must not know")
  func knowledge() throws {
    let rows = page.matches(of: /\n\| `([\w-]+)` \| ([^|]+) \| ([^|]*) ?\|/)
    let modules = package.modules.filter { !$0.isSystem }.map(\.name)
    #expect(rows.map { String($0.1) }.sorted() == modules.sorted())
    for row in rows {
      let reached = package.reach(of: String(row.1)).intersection(modules)
      if row.3.contains("every other module") { #expect(reached.isEmpty, "\(row.1) knows \(reached)") }
      for forbidden in row.3.matches(of: /`([\w-]+)`/) {
        #expect(modules.contains(String(forbidden.1)), "no module \(forbidden.1)")
        #expect(!reached.contains(String(forbidden.1)), "\(row.1) knows \(forbidden.1)")
      }
    }
  }

  @Test("each file, module and type that the page or a decision names exists")
  func names() throws {
    let types = try ProjectSources.ofTool.get().types
    let suites = try ProjectSources.ofTests.get().types.filter { $0.hasSuffix("Tests") }
    let schemas = try recordTypes()
    let known = types.union(suites).union(schemas).union(package.modules.map(\.name))
    #expect(types.count > 800)
    for (file, text) in try [("Architecture.md", page)] + Decisions.notes().map({ ($0.name, $0.text) }) {
      for name in text.matches(of: /`([A-Z]\w*[a-z]\w*)(?:\.(?!swift)\w+)?`/) {
        let isKnown = known.contains(String(name.1))
        #expect(isKnown, "\(file): no \(name.1)")
      }
      for path in text.matches(
        of: /`((?:Sources|Tests|Scripts|Documentation|seeds|schema)\/[\w\/.+-]+|[\w]+\.swift)`/)
      {
        let candidates = ["", "Sources/celestra-admin/"].map { projectRoot.appending(path: $0 + path.1) }
        #expect(
          candidates.contains { FileManager.default.fileExists(atPath: $0.path) }, "\(file): no \(path.1)")
      }
    }
    #expect(page.matches(of: /`([A-Z]\w*[a-z]\w*)`/).count > 100)
  }

  private func recordTypes() throws -> Set<String> {
    let folder = projectRoot.appending(path: "schema")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".ckdb") }
      .reduce(into: []) { types, file in
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        for match in text.matches(of: /RECORD TYPE (\w+)/) { types.insert(String(match.1)) }
      }
  }

  @Test("only two types send changes of records to a container")
  func oneWriter() throws {
    let containers = ["CloudKitClient/", "CloudKitEmulator/", "CloudKitModel/", "LocalContainer/"]
    let senders = try ProjectSources.ofTool.get().files.filter { path, text in
      !containers.contains(where: path.hasPrefix)
        && text.split(separator: "\n").contains { $0.contains(".modify(") && !$0.contains("base.modify(") }
    }
    let expected: Set = ["ChangeExecutor.swift", "LeaseRecordStore.swift"]
    #expect(Set(senders.keys.map { URL(filePath: $0).lastPathComponent }) == expected)
    for name in expected { #expect(page.contains("`\(name.dropLast(".swift".count))`")) }
  }

  @Test("only the job runner builds write sessions, and only it makes their dependencies")
  func oneJobRunner() throws {
    let files = try ProjectSources.ofTool.get().files
    for constructor in ["WriteSession(", "WriteSessionDependencies("] {
      let builders = files.filter { _, text in
        text.split(separator: "\n").contains { line in
          line.contains(constructor) && !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//")
        }
      }
      #expect(builders.keys.map { URL(filePath: $0).lastPathComponent } == ["JobRunner.swift"])
    }
    #expect(page.contains("`JobRunner`"))
  }

  @Test("a file of tests has the name of its suite, or of the file that it tests")
  func testFiles() throws {
    let files = try ProjectSources.ofTests.get().files.filter { $0.key.hasSuffix("Tests.swift") }
    let sources = try Set(
      ProjectSources.ofTool.get().files.keys.map { URL(filePath: $0).lastPathComponent })
    #expect(files.count > 250)
    for (path, text) in files {
      let name = URL(filePath: path).deletingPathExtension().lastPathComponent
      let hasSuite = text.contains("struct \(name)") || text.contains("extension \(name)")
      #expect(hasSuite || sources.contains("\(name.dropLast("Tests".count)).swift"), "\(path)")
    }
  }
}
