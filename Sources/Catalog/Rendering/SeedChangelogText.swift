public import Diagnostics

extension SeedChangelog {
  /// For a terminal; ends with a line end. Where it would be written comes first.
  public func text(_ style: TerminalStyle) -> PrintableText {
    var text: PrintableText = sections.isEmpty ? "" : "\(style.bold("Plan for \(target)"))\n\n"
    for section in sections {
      text += "\(style.bold("\(section.title)"))\n"
      text += section.entries.map { $0.text(style) }.joined()
      text += "\n"
    }
    text += "\(summary)\n"
    if let deletions { text += "\(style.red("\(deletions)"))\n" }
    return text
  }

  /// The notes, for those who see only what was applied.
  public func notesText(_ style: TerminalStyle) -> PrintableText { notes.map { $0.text(style) }.joined() }

  public var text: PrintableText { text(.plain) }

  public var markdown: MarkdownText { markdown(naming: RiskOptions([])) }

  /// For the comment on a pull request; ends with a line end.
  ///
  /// - Parameter risks: the risks of applying the plan.
  public func markdown(naming risks: RiskOptions) -> MarkdownText {
    var text: MarkdownText = "### Seed plan for \(target)\n\n**\(summary)**\n\n"
    if let deletions { text += "**\(deletions)**\n\n" }
    text += risks.markdown
    for section in sections {
      text += "#### \(section.title)\n\n"
      for entry in section.entries {
        let detail = entry.detail.isEmpty ? "" : " \(entry.detail)"
        text += "- \(code: entry.mark) **\(entry.subject)**\(detail)\n"
        for line in entry.lines { text += "  - \(line)\n" }
      }
      text += "\n"
    }
    return text
  }
}

extension SeedChangelog.Entry {
  fileprivate func text(_ style: TerminalStyle) -> PrintableText {
    let painted: PrintableText =
      switch mark {
      case "+": style.green("\(mark)")
      case "~": style.yellow("\(mark)")
      case "-", "!": style.red("\(mark)")
      default: style.dim("\(mark)")
      }
    return "  \(painted) \(subject)\(detail.isEmpty ? "" : " \(detail)")\n"
      + PrintableText(lines: lines, indent: "      ")
  }
}
