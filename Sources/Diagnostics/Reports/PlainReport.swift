/// A simple report with a fixed JSON value and text.
public struct PlainReport: Report {
  public let json: JSONValue
  public var status: ExitStatus
  public var isConfirmation: Bool
  private let text: PrintableText

  public init(
    _ status: ExitStatus = .done, json: JSONValue = [:], text: PrintableText = "",
    isConfirmation: Bool = false
  ) {
    self.status = status
    self.json = json
    self.text = text
    self.isConfirmation = isConfirmation
  }

  /// A JSON document, which is the text as well.
  public init(document json: JSONValue) {
    self.init(json: json, text: PrintableText(document: json.text(.pretty) + "\n"))
  }

  public func text(_ style: TerminalStyle) -> PrintableText { text }
}
