internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Records

struct ContainerInfo: AdminCommand {
  static let title = "container info"
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the record types of a container, and how many records they have.",
    discussion: """
      A local container counts both environments at once. CloudKit cannot count: there the types are listed, and \
      --count reads all records, a request for every 200.

      With --check every page of a local container's file is read and checked, which takes some seconds for a \
      million records; a damaged file ends with status 1.
      """)

  @Flag(help: "Count the records of a CloudKit container too.") var count = false
  @Flag(help: "Check the whole file of a local container for damage.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInfo>

  func perform(in session: Session) async throws -> any Report {
    guard try session.hasLocalContainer else {
      if check { throw CommandFailure.usage("--check works on local containers only") }
      let types = try await session.queryableTypes()
      let container = try await session.container()
      var counts: [TypeCounts.Entry] = []
      for type in types {
        let records = count ? try await RecordCount(of: Query(type), by: nil, in: container).total : nil
        counts.append(TypeCounts.Entry(recordType: type, records: records))
      }
      return TypeCounts(environment: try session.environment, entries: counts)
    }
    let store = try session.localContainer().store
    return StoreReport(
      info: try await store.info(), problems: check ? try await store.integrityProblems() : nil)
  }
}

/// What a local container's file holds, and what is wrong with it.
struct StoreReport: Report {
  let info: StoreInfo
  /// `nil` when the file was not checked.
  let problems: [String]?

  var status: ExitStatus { problems?.isEmpty ?? true ? .done : .failed }

  var json: JSONValue {
    [
      "recordTypes": .array(info.counts.map(\.json)), "sizeBytes": .integer(info.size),
      "layoutVersion": .integer(Int64(info.layoutVersion)), "sqliteVersion": .string(info.sqliteVersion),
      "checked": .bool(problems != nil), "problems": .array((problems ?? []).map(JSONValue.string)),
    ]
  }

  func text(_ style: Style) -> PrintableText {
    let width = info.counts.map { String($0.records).count }.max() ?? 0
    let counts = info.counts.map { count -> PrintableText in
      "\(String(count.records).leftPadded(to: width))  \(count.recordType) (\(count.environment.rawValue))\n"
    }
    let verdict: PrintableText = problems?.isEmpty == true ? "the file is sound\n" : ""
    return counts.joined()
      + "\(info.size) bytes, layout \(info.layoutVersion), SQLite \(info.sqliteVersion)\n"
      + verdict + PrintableText(lines: problems ?? [], indent: "\(style.red("✗")) ")
  }
}

/// The record types of a CloudKit container's environment.
struct TypeCounts: Report {
  struct Entry: Sendable {
    let recordType: String
    /// `nil` when the records were not counted.
    let records: Int?
  }

  let environment: Environment
  let entries: [Entry]

  var json: JSONValue {
    [
      "recordTypes": .array(
        entries.map { entry in
          var object: JSONObject = [
            "environment": .string(environment.rawValue), "recordType": .string(entry.recordType),
          ]
          object["records"] = entry.records.map { .integer(Int64($0)) }
          return .object(object)
        })
    ]
  }

  func text(_ style: Style) -> PrintableText {
    let width = entries.map { String($0.records ?? 0).count }.max() ?? 0
    let lines = entries.map { entry -> PrintableText in
      let number = entry.records.map { "\(String($0).leftPadded(to: width))  " } ?? ""
      return "\(number)\(entry.recordType) (\(environment.rawValue))\n"
    }
    let isCounted = entries.contains { $0.records != nil }
    return lines.joined()
      + (isCounted || entries.isEmpty
        ? "" : style.dim("--count counts them: a request for every 200 records\n"))
  }
}

extension StoreInfo.Count {
  var json: JSONValue {
    [
      "environment": .string(environment.rawValue), "recordType": .string(recordType),
      "records": .integer(records),
    ]
  }
}
