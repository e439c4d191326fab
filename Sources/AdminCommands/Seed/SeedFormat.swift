internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import Platform

struct SeedFormat: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "format", abstract: "Format the seed files.",
    discussion: """
      Two spaces a level, a member a line, keys in the usual order, short lists on one line. The content stays as it is, \
      also keys that are not known.

      Example: celestra-admin seed format seeds --check
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Flag(help: "Only name the files that are not formatted; the status is 2 then.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedFormat>

  func perform(in context: CommandContext) async throws -> any Report {
    let folder = try context.seedFolder(directory)
    let edits = try SeedFileFormat.edits(in: folder)
    if !check { try FileEdits.write(edits, in: folder) }
    return SeedFileFormat.report(edits, isCheck: check)
  }
}
