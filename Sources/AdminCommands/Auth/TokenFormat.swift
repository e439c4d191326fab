internal import Diagnostics

/// Checks the form of a token: one word of visible ASCII characters, which needs no escaping in a header or a URL.
enum TokenFormat {
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// - Parameter place: the origin of the text, for the message, which never contains the text.
  static func checked(_ text: String, in place: String? = nil) throws -> String {
    guard isToken(text) else {
      throw CommandFailure(
        "\(place ?? "that") is not a token: it must be one word of visible ASCII characters",
        code: "bad-token", status: place == nil ? .failed : .denied)
    }
    return text
  }
}
