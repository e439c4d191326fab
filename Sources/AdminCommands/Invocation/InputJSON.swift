internal import Diagnostics

extension SourceText {
  /// The JSON it holds; a failure that shows the place where it is not JSON.
  func json() throws -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      throw CommandFailure(
        "\(name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: self, code: RecordRule.invalidJSON.code)])
    }
  }
}
