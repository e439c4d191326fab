/// The `--accept-risk` options for a set of risks, as a user types them.
public struct RiskOptions: CustomStringConvertible {
  private let risks: Set<String>

  public init(_ risks: Set<String>) { self.risks = risks }

  /// `--accept-risk data-loss --accept-risk mass-deletion`
  public var description: String { risks.sorted().map { "--accept-risk \($0)" }.joined(separator: " ") }

  /// The line of a plan that says which options applying it needs; empty without risks.
  public func text(_ style: TerminalStyle) -> PrintableText {
    risks.isEmpty ? "" : "\(style.yellow("risks:")) applying this needs \(description)\n"
  }
}
