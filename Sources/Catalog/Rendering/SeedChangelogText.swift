public import Diagnostics

extension SeedChangelog {
  /// For a terminal; ends with a line end.
  public var text: PrintableText {
    var text: PrintableText = ""
    for section in sections {
      text += "\(section.title)\n"
      for entry in section.entries {
        text += "  \(entry.mark) \(entry.subject)\(entry.detail.isEmpty ? "" : " \(entry.detail)")\n"
        text += PrintableText(lines: entry.lines, indent: "      ")
      }
      text += "\n"
    }
    text += "\(summary)\n"
    if let deletions { text += "\(deletions)\n" }
    return text
  }

  /// For the comment on a pull request; ends with a line end.
  public var markdown: MarkdownText {
    var text: MarkdownText = "### Seed plan for \(target)\n\n**\(summary)**\n\n"
    if let deletions { text += "**\(deletions)**\n\n" }
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
