import Foundation
import Testing

/// The workflow of Documentation/github, run where a project file names a container for development.
@Suite("The workflow for GitHub") struct WorkflowTests {
  @Test("it writes to the container of its variables, not to that of the project file")
  func writesToCloudKit() async throws {
    let workflow = try Workflow(projectRoot.appending(path: "Documentation/github/schema.yml").path)
    try await withScratchFolder { folder in
      try Data(#"{"container": "local:development.sqlite"}"#.utf8).write(
        to: URL(filePath: "\(folder)/celestra-admin.json"))
      let service = ["--container", "local:service.sqlite"]
      let tool = Tool(directory: folder)
      try await withEmulator(for: tool, file: "service.sqlite") { pointed in
        let key = pointed.environment["CLOUDKIT_PRIVATE_KEY_PATH"] ?? ""
        let values = try pointed.environment.merging([
          "CLOUDKIT_CONTAINER_ID": "iCloud.demo.celestra", "CLOUDKIT_ENVIRONMENT": "development",
          "CLOUDKIT_PRIVATE_KEY": String(contentsOfFile: key, encoding: .utf8),
        ]) { $1 }
        // What the workflow sets, and where the service is in place of Apple's.
        let names = workflow.variables + ["CLOUDKIT_BASE_URL", "CLOUDKIT_MANAGEMENT_BASE_URL"]
        var job = Tool(directory: folder)
        for name in names {
          let value: String = try #require(values[name], "\(name)")
          job.environment[name] = value
        }
        for script in workflow.scripts {
          let outcome = try await job.shell("set -e\n\(script)")
          #expect(outcome.status == 0, "\(script)\n\(outcome.err)")
        }
      }
      let count = try await tool.run(["records", "count", "PublicFeed"] + service)
      #expect(count.out.contains("104"), "\(count.out)\(count.err)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/development.sqlite"))
    }
  }
}

/// What is run of a workflow file: the scripts of its steps, and the variables that a job sets.
private struct Workflow {
  var scripts: [String] = []
  var variables: [String] = []

  init(_ path: String) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("run: ") {
        // `>-` makes one line of several.
        let block = Self.block(under: line, lines[(index + 1)...])
        scripts.append(block.joined(separator: text.hasSuffix(">-") ? " " : "\n"))
      } else if text == "env:" {
        variables += Self.block(under: line, lines[(index + 1)...]).compactMap {
          $0.split(separator: ":").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
      }
    }
    variables = Set(variables).sorted()
  }

  private static func block(under line: String, _ following: ArraySlice<String>) -> [String] {
    let depth = line.prefix { $0 == " " }.count
    return following.prefix { $0.prefix { $0 == " " }.count > depth }.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }
}
