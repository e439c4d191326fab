internal import CloudKitEmulator
internal import CloudKitModel
internal import Diagnostics
internal import People
internal import Reporting

extension LocalConsole {
  private static let maxCases = 200

  /// The queue of reports, with one record beside it. No author is shown.
  func queue(_ desk: ConsoleModeration, _ values: FormValues) async throws -> HTML {
    let now = options.now()
    let cases = try await ModerationQueue(of: desk.moderation, at: now).cases
    let asked = values["case"]
    let place = asked.map { name in cases.firstIndex { $0.target == name } } ?? (cases.isEmpty ? nil : 0)
    let next = place.flatMap { cases.indices.contains($0 + 1) ? cases[$0 + 1].target : nil }
    let list = cases.isEmpty ? "" : list(cases, shown: place, at: now)
    var section: HTML = ""
    if let name = asked ?? cases.first?.target {
      let details = try await ModerationCaseDetails(of: name, in: desk.moderation, at: now)
      let signals = place.map { cases[$0].signals.map(\.rawValue) } ?? []
      section = self.section(about: details, signals: signals, next: next, isOpen: place != nil)
    }
    let count =
      cases.isEmpty
      ? "No report waits for a decision."
      : "\(counted(cases.count, "record")) \(cases.count == 1 ? "waits" : "wait") for a decision."
    return done(values) + "<p>\(count)</p>\n<div class=\"queue\">\n\(list)\(section)</div>\n" + help
  }

  private func list(_ cases: [ModerationCase], shown: Int?, at now: Timestamp) -> HTML {
    let items = cases.prefix(Self.maxCases).enumerated().map { index, entry -> HTML in
      let isShown = index == shown
      let key = shown.flatMap { [$0 + 1: "j", $0 - 1: "k"][index] }
      return """
        <li><a\(link("moderation", query: [("case", entry.target)]))\(attribute: "aria-current", isShown ? "true" : nil)\
        \(attribute: "data-key", key)><bdi>\(entry.text.isEmpty ? entry.target : entry.text)</bdi><br>\
        <span class="soft">\(Self.facts(of: entry, at: now))</span></a></li>

        """
    }
    let more = cases.count - items.count
    let rest: HTML = more > 0 ? "<p>and \(more) more after these</p>\n" : ""
    return "<nav aria-label=\"Waiting\"><ol>\n\(items.joined())</ol>\n\(rest)</nav>\n"
  }

  private static func facts(of entry: ModerationCase, at now: Timestamp) -> String {
    let age = ReadableDuration.text(now.since(entry.oldest)) ?? "just now"
    return
      (["\(entry.recordType), \(counted(entry.reports, "report")) by \(entry.people), \(age)"]
      + entry.signals.map(\.rawValue)).joined(separator: ", ")
  }

  // MARK: - One record

  private func section(
    about details: ModerationCaseDetails, signals: [String], next: String?, isOpen: Bool
  ) -> HTML {
    let state = [details.recordType, details.state].compactMap(\.self).joined(separator: ", ")
    let texts = details.texts.map { "<dt>\($0.field)</dt><dd><bdi>\($0.text)</bdi></dd>\n" as HTML }.joined()
    let forms = options.isReadOnly ? "" : form(about: details, next: next, isOpen: isOpen)
    return """
      <section aria-labelledby="case">
      <h2 id="case">\(state)</h2>
      <dl>
      \(texts)\(facts(of: details, signals))</dl>
      \(forms)\(Self.part("Reports", details.groupedReports.map { Self.item($0.report, count: $0.names.count) }))\
      \(Self.part("Around it", details.context.map { Self.item($0, isShown: $0.recordName == details.target) }))\
      \(Self.part("Decisions", details.decisions.map(Self.item)))\
      <p class="soft">\(ConsoleParts.timeZone)</p>
      </section>

      """
  }

  private func facts(of details: ModerationCaseDetails, _ signals: [String]) -> HTML {
    var facts: [(String, HTML)] = [
      (
        "record",
        "<a\(link("record", details.target))><bdi>\(ConsoleParts.shortened(details.target))</bdi></a>"
      )
    ]
    if let created = details.created { facts.append(("written", ConsoleParts.time(created))) }
    if !signals.isEmpty { facts.append(("signals", "\(signals.joined(separator: ", "))")) }
    if details.isNewAccount == true { facts.append(("author", "new")) }
    for writing in details.writing where writing.isOverLimit {
      facts.append(
        (
          "wrote",
          "more than \(counted(writing.limit.records, writing.recordType)) in the last \(counted(writing.limit.minutes, "minute"))"
        ))
    }
    return facts.map { "<dt>\($0)</dt><dd>\($1)</dd>\n" as HTML }.joined()
  }

  private static func part(_ title: String, _ items: [HTML]) -> HTML {
    items.isEmpty ? "" : "<h3>\(title)</h3>\n<ul>\n\(items.joined())</ul>\n"
  }

  private static func item(_ report: ModerationCaseDetails.AbuseReport, count: Int) -> HTML {
    let note: HTML = report.note.map { ": <bdi>\($0)</bdi>" } ?? ""
    let times = count > 1 ? ", \(count) times" : ""
    return
      "<li>person \(report.reporter), <bdi>\(report.reason ?? "no reason")</bdi>\(note)\(times)\(report.state)</li>\n"
  }

  private static func item(_ neighbor: ModerationCaseDetails.Neighbor, isShown: Bool) -> HTML {
    let text: HTML = "<bdi>\(neighbor.text)</bdi>\(neighbor.isHidden ? " (hidden)" : "")"
    return isShown ? "<li><mark>\(text)</mark></li>\n" : "<li>\(text)</li>\n"
  }

  private static func item(_ decision: ModerationDecision) -> HTML {
    let time: HTML = decision.decided.map { "\(ConsoleParts.time($0)) " } ?? ""
    let reason: HTML = decision.reason.map { ": <bdi>\($0)</bdi>" } ?? ""
    return "<li>\(time)\(decision.kind.rawValue)\(decision.isEnded ? " (ended)" : "")\(reason)</li>\n"
  }

  /// The first button is disabled, because the Return key in the field of the reason presses the first button: it must not
  /// decide.
  private func form(about details: ModerationCaseDetails, next: String?, isOpen: Bool) -> HTML {
    let isHiddenByDecision = details.decisions.contains { $0.kind == .hide && $0.isStanding }
    var buttons: [(ConsoleDecision, String, String)] = []
    var advice: HTML = ""
    if details.exists, !details.isHidden, details.advice == nil {
      buttons.append((.hide, "Hide it", "h"))
    } else if isOpen {
      let words =
        details.isHidden
        ? "Leave it hidden"
        : details.isReport
          ? details.reports.contains(where: \.isOpen) ? "It was abusive: close it" : "The report was right"
          : details.advice == nil ? "The reports were right" : "The reports were right, but it stays shown"
      // A report that names no record, when those about it are decided: its name could mean either.
      let isContested =
        details.isReport && !details.reports.isEmpty && !details.reports.contains(where: \.isOpen)
      if !isContested { buttons.append((.uphold, words, "h")) }
      advice = details.advice.map { "<p><bdi>\(options.completed($0))</bdi></p>\n" } ?? ""
    }
    if details.isHidden, isHiddenByDecision {
      buttons.append((.restore, "Restore it", "r"))
    } else if isOpen {
      buttons.append((.dismiss, !details.exists ? "The reports were wrong" : "Let it stand", "r"))
    }
    guard !buttons.isEmpty else { return "" }
    let next: HTML = next.map { "<input type=\"hidden\" name=\"next\"\(attribute: "value", $0)>" } ?? ""
    return """
      \(advice)<form method="post" class="panel"\(action("moderation"))>
      \(hidden(details.target))\(next)<button disabled hidden></button>
      <label for="reason">Why, for other moderators (may be empty)</label>\
      <input type="text" id="reason" name="reason" maxlength="500">
      \(buttons.map(Self.button).joined(separator: " "))
      </form>

      """
  }

  private func hidden(_ name: String) -> HTML {
    """
    <input type="hidden" name="secret"\(attribute: "value", callers.formSecret)>\
    <input type="hidden" name="name"\(attribute: "value", name)>
    """
  }

  private static func button(_ decision: ConsoleDecision, _ words: String, _ key: String) -> HTML {
    "<button name=\"decision\"\(attribute: "value", decision.rawValue)\(attribute: "data-key", key)>\(words) <kbd>\(key)</kbd></button>"
  }

  // MARK: - Decisions

  func decide(_ desk: ConsoleModeration, _ values: FormValues) async throws -> EmulatorReply {
    guard let decision = values["decision"].flatMap(ConsoleDecision.init), let name = values["name"] else {
      throw CommandFailure("The form names no decision.")
    }
    let result: any Report
    do {
      result = try await desk.decide(
        decision.effect.action(name), values["reason"].flatMap { $0.isEmpty ? nil : $0 })
    } catch  where CommandFailure(error).status == .locked {
      throw CommandFailure(
        "Another moderator, or a sweep, is deciding at this moment.",
        hint: "Go back, and decide again in a moment.")
    }
    if let failure = result.failure { throw failure }
    let shown = values["next"] ?? (decision == .reopen ? name : nil)
    let page = address(
      of: ["moderation"],
      query: (shown.map { [("case", $0)] } ?? []) + [("done", decision.rawValue), ("name", name)])
    return EmulatorReply(status: 303, headers: [("Location", page), ("Cache-Control", "no-store")], body: [])
  }

  /// What was just decided, with the way back.
  private func done(_ values: FormValues) -> HTML {
    guard let decision = values["done"].flatMap(ConsoleDecision.init), let name = values["name"] else {
      return ""
    }
    var back: HTML = ""
    if let opposite = decision.effect.opposite, !options.isReadOnly {
      back =
        "<form method=\"post\"\(action("moderation"))>\(hidden(name))\(Self.button(opposite, "Undo", "u"))</form>"
    }
    return """
      <div class="notice done" role="status"><span>\(decision.effect.past) \
      <a\(link("moderation", query: [("case", name)]))><bdi>\(ConsoleParts.shortened(name))</bdi></a></span>\(back)</div>

      """
  }

  private var help: HTML {
    let deciding: HTML =
      options.isReadOnly
      ? ""
      : ", <kbd>h</kbd> hide, <kbd>r</kbd> let it stand or restore it, <kbd>u</kbd> take the last decision back"
    return """
      <details><summary data-key="?">Keys <kbd>?</kbd></summary>
      <p><kbd>j</kbd> next record, <kbd>k</kbd> the one before\(deciding). Authors are not shown: decide about what was \
      written. <code>celestra-admin moderation</code> can also remove a record and block its author.</p></details>

      """
  }
}

private enum ConsoleDecision: String {
  case hide, restore, uphold, dismiss, reopen

  /// The action; what is said before the name of the record; and the decision that takes it back, `nil` where the record
  /// waits again.
  var effect: (action: (_ name: String) -> ModerationAction, past: String, opposite: ConsoleDecision?) {
    switch self {
    case .hide: ({ .hide([$0]) }, "Hidden:", .restore)
    case .restore: ({ .restore([$0]) }, "Shown again; its reports stay decided:", .hide)
    case .uphold: ({ .decide([$0], as: .upheld) }, "The reports were right about", .reopen)
    case .dismiss: ({ .decide([$0], as: .dismissed) }, "Left as it is:", .reopen)
    case .reopen: ({ .decide([$0], as: .open) }, "Waits again:", nil)
    }
  }
}
