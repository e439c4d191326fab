public import Diagnostics

/// The recounts that a container offers: what `recount --list` prints.
public struct AggregateListReport: Report {
  private let catalog: AggregateCatalog

  public init(_ catalog: AggregateCatalog) { self.catalog = catalog }

  public var json: JSONValue {
    var entries = catalog.declarations.map { declaration -> JSONValue in
      [
        "name": .string(declaration.name), "source": .string(declaration.source.recordType),
        "targets": .array(declaration.targets.map { .string("\($0.recordType).\($0.field)") }),
      ]
    }
    if let quality = catalog.quality {
      entries.append([
        "name": "quality", "source": .string(quality.metadataType ?? quality.feedType),
        "targets": [.string("\(quality.feedType).\(quality.scoreField)")],
      ])
    }
    return ["aggregates": .array(entries)]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    var text = catalog.declarations.map { declaration -> PrintableText in
      let targets = declaration.targets.map { "\($0.recordType).\($0.field)" }.joined(separator: ", ")
      return "\(style.bold("\(declaration.name)"))  \(declaration.source.recordType) → \(targets)\n"
    }.joined()
    if let quality = catalog.quality {
      let source = quality.metadataType ?? quality.feedType
      text += "\(style.bold("quality"))  \(source) → \(quality.feedType).\(quality.scoreField)\n"
    }
    return text.isEmpty ? "the container's schema has nothing to recount\n" : text
  }
}
