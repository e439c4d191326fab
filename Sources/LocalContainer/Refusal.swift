public import CloudKitModel

/// A refusal in the service's words, with the reason the service would not give.
public struct Refusal: Error, Sendable, Hashable {
  public var error: ServerError
  /// Which role, index or change tag it was about. Holds no user record name.
  public var explanation: String

  public init(_ error: ServerError, _ explanation: String) {
    self.error = error
    self.explanation = explanation
  }

  init(_ code: ServerError.Code, _ reason: String, _ explanation: String) {
    self.init(ServerError(code, reason), explanation)
  }
}

/// What became of one entry of a lookup or modify request.
public enum EntryOutcome: Sendable, Hashable {
  case record(Record)
  case deleted(recordName: String)
  case refused(recordName: String?, Refusal)

  /// Without the explanation.
  public var outcome: RecordOutcome {
    switch self {
    case .record(let record): .record(record)
    case .deleted(let name): .deleted(recordName: name)
    case .refused(let name, let refusal): .failed(recordName: name, refusal.error)
    }
  }
}
