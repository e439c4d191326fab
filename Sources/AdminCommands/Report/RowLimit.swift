internal import ArgumentParser

/// The value of an option for the number of feeds in a report's table.
enum RowLimit: ExpressibleByArgument, Sendable, Hashable, CustomStringConvertible {
  case all
  case first(Int)

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let count = Int(argument), count >= 10 {
      self = .first(count)
    } else {
      return nil
    }
  }

  var count: Int? { if case .first(let count) = self { count } else { nil } }
  var description: String { count.map(String.init) ?? "all" }
  var defaultValueDescription: String { description }
}
