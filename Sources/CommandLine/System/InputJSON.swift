public import Diagnostics

extension SourceText {
  /// The JSON it holds. Throws a failure that shows the place where it is not JSON, under the code of `rule`.
  public func json(_ rule: some RuleCode) throws -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      throw CommandFailure(
        "\(name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: self, code: rule.code)])
    }
  }
}
