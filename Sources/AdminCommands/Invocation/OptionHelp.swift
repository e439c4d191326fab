internal import ArgumentParser

/// Options whose help has a word for their value: `@Option("The file to write.", value: "file") var output: String`.
extension Option {
  init(
    wrappedValue: Value, _ help: String, value: String, name: NameSpecification = .long,
    completion: CompletionKind? = nil
  ) where Value: ExpressibleByArgument {
    self.init(
      wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value),
      completion: completion)
  }

  init(_ help: String, value: String, name: NameSpecification = .long, completion: CompletionKind? = nil)
  where Value: ExpressibleByArgument {
    self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T: ExpressibleByArgument>(
    _ help: String, value: String, name: NameSpecification = .long, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T>(
    _ help: String, value: String, completion: CompletionKind? = nil,
    transform: @Sendable @escaping (String) throws -> T
  ) where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion, transform: transform)
  }

  init<T: ExpressibleByArgument>(
    wrappedValue: [T], _ help: String, value: String, name: NameSpecification = .long,
    completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value),
      completion: completion)
  }
}

extension CompletionKind {
  static var schemaFile: CompletionKind { .file(extensions: ["ckdb"]) }
}
