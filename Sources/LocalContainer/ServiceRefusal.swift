public import CloudKitModel

/// A refused request: the error that the service would return, with an explanation that the service does not give.
public struct ServiceRefusal: Error, Sendable, Hashable {
  public var error: ServerError
  /// The role, index, change tag or field that caused the refusal. Contains no user record name.
  public var explanation: String

  public init(_ error: ServerError, _ explanation: String) {
    self.error = error
    self.explanation = explanation
  }

  init(_ code: ServerError.Code, _ reason: String, _ explanation: String) {
    self.init(ServerError(code, reason), explanation)
  }
}

/// The result of one name of a lookup or of one operation of a modify request.
public enum RequestEntryOutcome: Sendable, Hashable {
  case record(Record)
  case deleted(recordName: String)
  case refused(recordName: String?, ServiceRefusal)

  /// The result without the explanation, as jobs see it.
  public var outcome: RecordOutcome {
    switch self {
    case .record(let record): .record(record)
    case .deleted(let name): .deleted(recordName: name)
    case .refused(let name, let refusal): .failed(recordName: name, refusal.error)
    }
  }
}
