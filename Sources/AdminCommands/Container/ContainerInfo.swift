internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

struct ContainerInfo: AdminCommand {
  static let title = "container info"
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show how many records of which type a local container holds.",
    discussion: """
      Both environments are counted. With --check every page of the file is read and checked, which takes some seconds \
      for a million records; a damaged file ends with status 1.
      """)

  @Flag(help: "Check the whole file for damage.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInfo>

  func perform(in session: Session) async throws -> any Report {
    let store = try session.localContainer().store
    let info = try await store.info()
    let problems = check ? try await store.integrityProblems() : []
    let json: JSONValue = [
      "recordTypes": .array(info.counts.map(\.json)), "sizeBytes": .integer(info.size),
      "layoutVersion": .integer(Int64(info.layoutVersion)), "sqliteVersion": .string(info.sqliteVersion),
      "checked": .bool(check), "problems": .array(problems.map(JSONValue.string)),
    ]
    return CommandResult(problems.isEmpty ? .done : .failed, json: json) { _, style in
      let width = info.counts.map { String($0.records).count }.max() ?? 0
      let counts = info.counts.map { count -> PrintableText in
        "\(String(count.records).leftPadded(to: width))  \(count.recordType) (\(count.environment.rawValue))\n"
      }
      let verdict: PrintableText = check && problems.isEmpty ? "the file is sound\n" : ""
      return counts.joined()
        + "\(info.size) bytes, layout \(info.layoutVersion), SQLite \(info.sqliteVersion)\n"
        + verdict + PrintableText(lines: problems, indent: "\(style.red("✗")) ")
    }
  }
}

extension StoreInfo.Count {
  fileprivate var json: JSONValue {
    [
      "environment": .string(environment.rawValue), "recordType": .string(recordType),
      "records": .integer(records),
    ]
  }
}
