extension SeedChangelog {
  /// For a terminal; ends with a line end.
  public var text: String {
    var lines: [String] = []
    for section in sections {
      lines.append(section.title)
      for entry in section.entries {
        lines.append("  \(entry.mark) \(entry.subject)" + (entry.detail.isEmpty ? "" : " \(entry.detail)"))
        lines += entry.lines.map { "      \($0)" }
      }
      lines.append("")
    }
    return (lines + [summary, ""]).joined(separator: "\n")
  }

  /// For the comment on a pull request; ends with a line end.
  public var markdown: String {
    var lines = ["### Seed plan for \(escaped(target))", "", "**\(escaped(summary))**", ""]
    for section in sections {
      lines += ["#### \(section.title)", ""]
      for entry in section.entries {
        let detail = entry.detail.isEmpty ? "" : " \(escaped(entry.detail))"
        lines.append("- `\(entry.mark)` **\(escaped(entry.subject))**\(detail)")
        lines += entry.lines.map { "  - \(escaped($0))" }
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  /// Titles and URLs are shown as they are, never as markup, links or mentions.
  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "<": escaped += "&lt;"
      case "&": escaped += "&amp;"
      case "@": escaped += "&#64;"
      case "\\", "`", "*", "_", "[", "]", "#", "|", "~", "!": escaped += "\\\(character)"
      default: escaped.append(character)
      }
    }
  }
}
