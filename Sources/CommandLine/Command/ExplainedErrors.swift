public import Diagnostics
public import FoundationEssentials
public import Platform

extension FileFailure: CommandFailureConvertible {
  public var failure: CommandFailure {
    let code =
      switch action {
      case .read: "unreadable-file"
      case .write: "unwritable-file"
      case .use: "unusable-file"
      }
    return CommandFailure(message, code: code, hint: hint)
  }
}

extension InterruptedError: CommandFailureConvertible {
  public var failure: CommandFailure {
    CommandFailure(
      "stopped before the end", code: "interrupted", hint: "Run the command again: it finishes the rest.",
      status: status)
  }
}

extension CocoaError: CommandFailureConvertible {
  /// The system's own error message, without Foundation's description around it.
  public var failure: CommandFailure {
    guard let underlying = underlying as? POSIXError else { return CommandFailure(String(describing: self)) }
    return CommandFailure(SystemError(code: underlying.code.rawValue).description)
  }
}
