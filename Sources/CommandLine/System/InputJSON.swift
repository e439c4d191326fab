public import Diagnostics

extension SourceText {
  /// The text parsed as JSON. Throws ``CommandFailure`` with a finding, under the code of `rule`, at a syntax
  /// error.
  public func json(_ rule: some RuleCode) throws -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      throw CommandFailure(
        "\(name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: self, code: rule.code)])
    }
  }
}
