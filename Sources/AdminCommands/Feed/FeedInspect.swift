internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import HTTPTransport

/// The command `feed inspect`.
struct FeedInspect: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.jsonl, .json, .text]
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show what is in a feed.",
    discussion: """
      An input is a file, a URL, or - for standard input. Several inputs are read at once and reported in the order given, \
      including those that cannot be read or are not feeds. The status is 1 when none could be read.

      Times are written as 30s, 5m or 2h.

      Example: celestra-admin feed inspect https://example.com/feed.xml --format text
      """)

  @Argument(help: "Files, URLs, or -.", completion: .file()) var inputs: [String]
  @Flag(help: "Allow URLs with private addresses.") var allowPrivateAddresses = false
  @Option(
    help: ArgumentHelp("Time limit for one URL, including redirects. Default: 30s.", valueName: "time"),
    transform: DurationParser.parse)
  var timeout: Duration?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<FeedInspect>

  func perform(in context: CommandContext) async throws -> any Report {
    let reader = FeedInputReader(
      transport: context.reporting(try CurlTransport()),
      addresses: allowPrivateAddresses ? .any : .publicOnly,
      timeout: timeout ?? .seconds(30))
    var writer = try FeedInspectionWriter(context)
    try await OrderedTaskPool().run(inputs, weight: FeedInputReader.weight, reader.inspect) {
      try writer.write($0)
    }
    return writer.report
  }
}
