internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Records

struct ContainerInfo: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the record types of a container, and how many records they have.",
    discussion: """
      A local container counts both environments at once. CloudKit cannot count: there the types are listed, and \
      --count reads all records, a request for every 200.

      With --check every page of a local container's file is read and checked, which takes some seconds for a \
      million records. Of a damaged file it says what is damaged, which types can still be read and what to do, and ends \
      with status 1.

      Examples:
        celestra-admin container info --count
        celestra-admin container info --check
      """)

  @Flag(help: "Count the records of a CloudKit container too.") var count = false
  @Flag(help: "Check the whole file of a local container for damage.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInfo>

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.hasLocalContainer else {
      if check { throw CommandFailure.usage("--check works on local containers only") }
      let types = try await context.queryableTypes()
      let container = try await context.container()
      var counts: [(recordType: String, records: Int?)] = []
      for type in types {
        counts.append(
          (type, count ? try await RecordCount(of: Query(type), by: nil, in: container).total : nil))
      }
      return PlainReport(counts, in: try context.environment)
    }
    if check, case .local(let path) = try context.location {
      let found = try await ContainerFileCheck(of: path)
      if !found.problems.isEmpty { return found.report(of: path) }
    }
    let store = try context.localContainer().store
    return try await store.info().report(of: store, isChecked: check)
  }
}
