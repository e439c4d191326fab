internal import CloudKitModel
internal import Diagnostics
import Synchronization
internal import WebServicesWire

/// The fault rules of a running emulator, with the number of requests that each has matched.
final class FaultPlan: Sendable {
  /// A rule with the number of requests it has matched and disturbed.
  fileprivate struct Entry {
    let rule: FaultRule
    var seen = 0
    var done = 0
  }

  private let entries: Mutex<[Entry]>

  init(_ rules: [FaultRule]) { entries = Mutex(rules.map { Entry(rule: $0) }) }

  var faults: [EmulatorMonitor.Fault] {
    entries.withLock { $0.map { EmulatorMonitor.Fault(rule: $0.rule, seen: $0.seen, done: $0.done) } }
  }

  func replace(_ rules: [FaultRule]) { entries.withLock { $0 = rules.map { Entry(rule: $0) } } }

  /// The fault for this request, from the first rule that applies; `nil` for none. Each rule counts the requests
  /// that it matches.
  func troubleFor(_ path: String) -> FaultRule.Action? {
    entries.withLock { entries in
      var chosen: FaultRule.Action?
      for index in entries.indices where entries[index].matches(path) {
        let isDue = entries[index].isDue
        entries[index].seen += 1
        if chosen == nil, isDue {
          entries[index].done += 1
          chosen = entries[index].rule.action
        }
      }
      return chosen
    }
  }
}

extension FaultPlan.Entry {
  fileprivate func matches(_ path: String) -> Bool { rule.endpoint.map(path.hasSuffix) ?? true }

  fileprivate var isDue: Bool {
    guard done < rule.count ?? .max, seen >= rule.after else { return false }
    return (seen - rule.after) % rule.every == rule.every - 1
  }
}

extension FaultRule.Action {
  /// The service's error code for an HTTP status.
  static func code(for status: Int) -> ServerError.Code {
    let codes: [ServerError.Code] = [
      .throttled, .tryAgainLater, .internalError, .authenticationFailed, .accessDenied, .notFound, .conflict,
      .quotaExceeded, .authenticationRequired, .validatingReferenceError,
    ]
    return codes.first { $0.httpStatus == status } ?? .badRequest
  }

  /// Disturbs the delivery of a reply after the request was processed.
  func disturb(_ reply: inout EmulatorReply) {
    switch self {
    case .resetAfter: reply.delivery = .reset
    case .half: reply.delivery = .half
    case .slow(let pause): reply.delivery = .slow(pause: pause)
    default: break
    }
  }

  var clockSkew: Duration? { if case .clockSkew(let skew) = self { skew } else { nil } }
}
