import Foundation
import Testing

/// The page of the threat model names only tests and types that exist, and a test for each promise.
@Suite struct ThreatModelTests {
  private let page: String

  init() throws {
    page = try String(
      contentsOf: projectRoot.appending(path: "Documentation/ThreatModel.md"), encoding: .utf8)
  }

  @Test("each suite that is named exists and has tests")
  func suites() throws {
    let named = Set(page.matches(of: /\b([A-Z]\w*Tests)\b/).map { String($0.1) })
    #expect(named.count > 60)
    let suites = try ProjectSources.ofTests.get().files.values.filter {
      $0.contains("@Suite") && $0.contains("@Test")
    }.flatMap(ProjectSources.types)
    #expect(named.subtracting(suites) == [], "no such suites")
  }

  @Test("each scenario that is named exists")
  func scenarios() {
    let named = Set(page.matches(of: /\b([a-z-]+\.scenario)\b/).map { String($0.1) })
    #expect(named.count >= 5)
    for name in named {
      let path = projectRoot.appending(path: "Tests/Scenarios/scripts/\(name)").path
      #expect(FileManager.default.fileExists(atPath: path), "no \(name)")
    }
  }

  @Test("each type and script that is named exists")
  func types() throws {
    let types = try ProjectSources.ofTool.get().types
    for match in page.matches(of: /`([A-Z][a-z]+[A-Z]\w+)`/) where !match.1.hasSuffix("Tests") {
      #expect(types.contains(String(match.1)), "no type \(match.1)")
    }
    for match in page.matches(of: /`((?:Scripts|Tests)\/[\w\/.-]+)`/) {
      let path = projectRoot.appending(path: String(match.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "no \(match.1)")
    }
  }

  @Test("each promise names a test")
  func promises() {
    var promises = 0
    for table in page.split(separator: "\n\n") where table.contains("| promise | held by |") {
      for row in table.split(separator: "\n").drop(while: { !$0.hasPrefix("| ---") }).dropFirst() {
        let cells = row.split(separator: " | ")
        promises += 1
        #expect(
          cells.count == 2 && cells[1].contains(/\w+Tests|[a-z-]+\.scenario/),
          "no test for: \(row.prefix(80))")
      }
    }
    #expect(promises > 40)
  }
}
