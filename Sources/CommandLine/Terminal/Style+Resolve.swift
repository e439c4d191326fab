public import Diagnostics

extension Style {
  /// Decides whether output is colored. For `auto`, respects NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
  public static func resolve(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String]) -> Style
  {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
    switch choice {
    case .always: return Style(isColored: true)
    case .never: return Style(isColored: false)
    case .auto:
      if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return Style(isColored: false) }
      if isSet("CLICOLOR_FORCE") { return Style(isColored: true) }
      return Style(isColored: isTerminal && environment["TERM"] != "dumb")
    }
  }
}
