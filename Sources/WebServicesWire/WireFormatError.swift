public import Diagnostics

/// The error for JSON that does not follow the protocol, with its place: `operations[3].record.recordName: expected a
/// string`.
///
/// A server answers it with BAD_REQUEST and keeps the detail for its log; a client reports it with the endpoint.
public struct WireFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Names and indexes from the outside in; empty for the whole text.
  public private(set) var path: String
  public let problem: String

  public init(_ problem: String) {
    path = ""
    self.problem = problem
  }

  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }

  /// The same error seen from one level further out.
  func inside(_ component: String) -> WireFormatError {
    var error = self
    error.path = path.isEmpty || path.hasPrefix("[") ? component + path : "\(component).\(path)"
    return error
  }
}

/// A request or reply body that can be written and read.
public protocol WireMessage: Sendable {
  /// Reads a body; a member that is `null` counts as absent, an unknown one is skipped.
  init(json: JSONValue) throws(WireFormatError)
  var json: JSONValue { get }
}

/// Runs `body`, naming the place in any error it throws. The name is made only when it is needed.
func inside<Result>(
  _ component: @autoclosure () -> String, _ body: () throws(WireFormatError) -> Result
) throws(WireFormatError) -> Result {
  do { return try body() } catch { throw error.inside(component()) }
}
