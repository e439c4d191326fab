/// Colors text, or leaves it plain when colors are off. All colored output uses it.
public struct TerminalStyle: Sendable {
  public let isColored: Bool

  public init(isColored: Bool) { self.isColored = isColored }

  public static let plain = TerminalStyle(isColored: false)

  public func bold(_ text: PrintableText) -> PrintableText { painted(text, .bold) }
  public func dim(_ text: PrintableText) -> PrintableText { painted(text, .dim) }
  public func red(_ text: PrintableText) -> PrintableText { painted(text, .red) }
  public func green(_ text: PrintableText) -> PrintableText { painted(text, .green) }
  public func yellow(_ text: PrintableText) -> PrintableText { painted(text, .yellow) }
  public func cyan(_ text: PrintableText) -> PrintableText { painted(text, .cyan) }

  private func painted(_ text: PrintableText, _ paint: PrintableText.Paint) -> PrintableText {
    isColored ? text.painted(paint) : text
  }
}
