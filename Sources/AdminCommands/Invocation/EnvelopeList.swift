internal import Diagnostics

/// The envelope of a result that is one list, for writing the list's elements as they come: what stands before them,
/// between two, and after them.
struct EnvelopeList {
  let start: String
  let separator: String
  private let name: String
  private let envelope: Envelope

  init(_ name: String, in envelope: Envelope) {
    self.name = name
    self.envelope = envelope
    start = EnvelopeList.halves(name, envelope).before
    separator = ",\n" + start.reversed().prefix { $0 == " " }
  }

  /// - Parameter failure: why there are no more elements.
  func end(_ failure: CommandFailure?) -> String { EnvelopeList.halves(name, envelope, failure).after }

  /// Of the document whose list has one element, which nothing before it can hold: the container's name is written
  /// with its kind.
  private static func halves(
    _ name: String, _ envelope: Envelope, _ failure: CommandFailure? = nil
  ) -> (before: String, after: String) {
    let mark = "the elements"
    var result = CommandResult(json: .object([name: .array([.string(mark)])]), text: "")
    result.failure = failure
    let text = envelope.text(result)
    guard let place = text.firstRange(of: JSONValue.string(mark).text()) else { return (text, "") }
    return (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
  }
}
