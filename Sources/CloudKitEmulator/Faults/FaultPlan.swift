import Synchronization

/// The fault rules of a running emulator, with the number of requests that each has matched.
final class FaultPlan: Sendable {
  private let entries: Mutex<[EmulatorActivity.ActiveFault]>

  init(_ rules: [FaultRule]) { entries = Mutex(rules.map { EmulatorActivity.ActiveFault(rule: $0) }) }

  var faults: [EmulatorActivity.ActiveFault] { entries.withLock(\.self) }

  func replace(_ rules: [FaultRule]) {
    entries.withLock { $0 = rules.map { EmulatorActivity.ActiveFault(rule: $0) } }
  }

  /// What the first rule that applies does to this request; `nil` if no rule applies. Each rule counts the requests
  /// that it matches.
  func effect(on path: String) -> Fault.Effect? {
    entries.withLock { entries in
      var chosen: Fault.Effect?
      for index in entries.indices where entries[index].matches(path) {
        let isDue = entries[index].isDue
        entries[index].seen += 1
        if chosen == nil, isDue {
          entries[index].done += 1
          chosen = entries[index].rule.effect
        }
      }
      return chosen
    }
  }
}

extension EmulatorActivity.ActiveFault {
  fileprivate func matches(_ path: String) -> Bool { rule.endpoint.map(path.hasSuffix) ?? true }

  fileprivate var isDue: Bool {
    guard done < rule.count ?? .max, seen >= rule.after else { return false }
    return (seen - rule.after) % rule.every == rule.every - 1
  }
}
