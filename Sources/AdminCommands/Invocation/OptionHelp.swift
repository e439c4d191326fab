internal import ArgumentParser
internal import CommandLine

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

/// Options that take a word of an enum of a library: `@Option("public or private.", word: "database")`.
extension Option where Value: CaseIterable & RawRepresentable<String> & Sendable {
  init(wrappedValue: Value, _ help: String, word: String) {
    self.init(
      wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: word),
      completion: EnumOption.words(Value.self), transform: { try EnumOption.parse($0) })
  }

  init(_ help: String, word: String) {
    self.init(
      help: ArgumentHelp(help, valueName: word), completion: EnumOption.words(Value.self),
      transform: { try EnumOption.parse($0) })
  }
}

extension Option {
  init<T: CaseIterable & RawRepresentable<String> & Sendable>(_ help: String, word: String)
  where Value == T? {
    self.init(
      help: ArgumentHelp(help, valueName: word), completion: EnumOption.words(T.self),
      transform: { try EnumOption.parse($0) })
  }
}

/// The help that several commands share.
extension ArgumentHelp {
  static var schemaFile: Self { "The schema file, or git:REF:PATH; - reads standard input." }
  static var schemaFiles: Self {
    "The schema files, folders of them, or git:REF:PATH; - reads standard input."
  }
  static var seedFolder: Self { "The seed folder. Default: the nearest folder 'seeds'." }
  static var dryRunOfFiles: Self { "Show what would be written. Nothing is written." }
  static var privateAddresses: Self { "Allow addresses in private networks." }
}

extension CompletionKind {
  static var schemaFile: CompletionKind { .file(extensions: ["ckdb"]) }
}
