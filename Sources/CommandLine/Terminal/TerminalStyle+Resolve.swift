public import Diagnostics

extension TerminalStyle {
  /// Decides whether output is colored. For `auto`, respects NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
  public static func resolve(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String])
    -> TerminalStyle
  {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
    switch choice {
    case .always: return TerminalStyle(isColored: true)
    case .never: return TerminalStyle(isColored: false)
    case .auto:
      if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return TerminalStyle(isColored: false) }
      if isSet("CLICOLOR_FORCE") { return TerminalStyle(isColored: true) }
      return TerminalStyle(isColored: isTerminal && environment["TERM"] != "dumb")
    }
  }
}
