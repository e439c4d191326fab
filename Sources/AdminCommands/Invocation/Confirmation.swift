internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

extension Session {
  /// For jobs that write nothing but what they compute: nobody is asked in development, and production wants a
  /// word as from any other command.
  func confirmJob(_ question: PrintableText, options: MutationOptions) throws {
    guard try target.environment == .production, !options.dryRun else { return }
    try confirm(question, options: options)
  }

  /// Makes sure that a person, or a script speaking for one, wants this done.
  ///
  /// Every named risk must be accepted by its name. On production the answer is the container's name, or `--yes`.
  /// In development nothing without a risk needs a word from a script.
  ///
  /// - Parameters:
  ///   - details: what is about to be done, shown only when a person is asked.
  ///   - target: what is written to, when it is not the environment of the settings.
  ///   - loss: completes "the plan …": what would be lost if the risks were accepted.
  func confirm(
    _ question: PrintableText, details: @autoclosure () -> PrintableText = "", risks: Set<String> = [],
    loss: String? = nil, options: MutationOptions, target: ContainerIdentity? = nil
  ) throws {
    let missing = risks.subtracting(options.acceptRisk).sorted()
    guard missing.isEmpty else {
      throw CommandFailure(
        "the plan \(loss.map { "\($0), and " } ?? "")carries a risk that was not accepted: "
          + missing.joined(separator: ", "),
        code: "risk-not-accepted", hint: "Read the plan (--dry-run); to go on, add \(missing.flags).")
    }
    if options.yes { return }
    let target = try target ?? self.target
    guard let readLine = world.console.readLine, !common.noInput, format == .text else {
      if target.environment == .development { return }
      throw CommandFailure(
        "writing to production needs confirmation", code: "not-confirmed",
        hint: "Nothing was written. Add --yes to confirm.")
    }
    let expected = target.environment == .production ? target.name : "yes"
    try world.console.errors.write("\(details())\(question)\nType '\(expected)' to go on: ")
    guard readLine() == expected else {
      throw CommandFailure("cancelled; nothing was written", code: "not-confirmed")
    }
  }
}

extension Style {
  /// What applying a plan of these risks takes; nothing for a plan without any.
  func demand(for risks: Set<String>) -> PrintableText {
    risks.isEmpty ? "" : "\(yellow("risks:")) applying this needs \(risks.sorted().flags)\n"
  }
}

extension [String] {
  fileprivate var flags: String { map { "--accept-risk \($0)" }.joined(separator: " ") }
}
