internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The options of `recount quality`.
struct QualityArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("For quality: signals (the default) or celestra.", valueName: "profile"),
    transform: Choice.parse)
  var profile: QualityProfile.Name?
  @Flag(help: "For quality: print the parts of every score.") var explain = false

  var isGiven: Bool { profile != nil || explain }
}

/// One run of `recount quality`.
struct QualityRun {
  private let run: RecountRun
  private let arguments: QualityArguments

  init(_ run: RecountRun, _ arguments: QualityArguments) {
    self.run = run
    self.arguments = arguments
  }

  func result() async throws -> CommandResult {
    guard let layout = run.catalog.quality else {
      throw CommandFailure.usage("the container's schema has no feeds with a quality score")
    }
    if run.arguments.estimate {
      throw CommandFailure.usage("--estimate is for counts; quality reads every feed and its health once")
    }
    let profile = arguments.profile.map(QualityProfile.init) ?? run.file.quality ?? QualityProfile(.signals)
    let recount = QualityRecount(
      profile: profile, layout: layout, schema: run.schema, container: run.container, options: run.options,
      environment: run.environment)
    var explanations: [QualityRecount.Explanation] = []
    let outcome = try await recount.run { if arguments.explain { explanations.append($0) } }
    return show(RecountView.result(of: outcome), explanations)
  }

  private func show(_ result: CommandResult, _ explanations: [QualityRecount.Explanation]) -> CommandResult {
    guard arguments.explain else { return result }
    let sorted = explanations.sorted { ($1.score.score, $0.recordName) < ($0.score.score, $1.recordName) }
    var shown = result
    shown.isConfirmation = false
    if case .object(var object) = result.json {
      object["feeds"] = .array(sorted.map(\.json))
      shown.json = .object(object)
    }
    shown.render = { format, style in
      result.rendered(as: format, style) + QualityTable(sorted, style).text
    }
    return shown
  }
}

extension QualityRecount.Explanation {
  fileprivate var json: JSONValue {
    var object = score.json.object ?? [:]
    object["recordName"] = .string(recordName)
    object["title"] = title.map(JSONValue.string)
    object["stored"] = stored?.plainJSON
    return .object(object)
  }
}

/// Scores and their parts, a feed a line.
struct QualityTable {
  let text: PrintableText

  init(_ explanations: [QualityRecount.Explanation], _ style: Style) {
    guard let first = explanations.first else {
      text = ""
      return
    }
    let names = first.score.parts.map(\.name.rawValue)
    let head = (["score"] + names).map { $0.leftPadded(to: 7) }.joined(separator: " ")
    let lines = explanations.map { feed -> PrintableText in
      let parts = feed.score.parts.enumerated().map { index, part in
        QualityTable.decimal(part.value, 2).leftPadded(to: max(7, names[index].count))
      }
      let score = QualityTable.decimal(feed.score.score, 1).leftPadded(to: 7)
      return "\(score) \(parts.joined(separator: " "))  \(feed.title ?? feed.recordName)\n"
    }
    text = style.bold("\(head)") + "\n" + lines.joined()
  }

  static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 2 ? 100.0 : 10.0
    let scaled = Int64((value * scale).rounded())
    let fraction = String(abs(scaled) % Int64(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(zeros)\(fraction)"
  }
}
