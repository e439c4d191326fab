public import Diagnostics
public import SchemaLanguage

/// What a reset of development would change: its schema becomes production's, and all its records are deleted.
public struct SchemaResetPlan: Report {
  public static let risks: Set<String> = [SchemaChange.Risk.dataLoss.rawValue]

  private let container: String
  private let changes: [SchemaChange]
  private let records: [(recordType: String, count: Int64)]?

  /// - Parameter records: the counts of the types that have records; `nil` if the container cannot count them.
  public init(
    of container: String, development: Schema, production: Schema,
    records: [(recordType: String, count: Int64)]?
  ) {
    self.container = container
    self.records = records
    changes = SchemaDiff.changes(from: development, to: production, production: production)
  }

  public var json: JSONValue {
    var json = SchemaDiffJSON.render(changes).object ?? [:]
    json["records"] = records.map { records in
      .array(records.map { ["recordType": .string($0.recordType), "records": .integer($0.count)] })
    }
    json["risks"] = .array(Self.risks.sorted().map(JSONValue.string))
    json["dryRun"] = true
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    "would reset development of \(container):\n" + SchemaDiffText.render(changes, style)
      + "\(loss)\n\(style.yellow("risks:")) this needs --accept-risk data-loss\n"
  }

  private var loss: String {
    guard let records else { return "all records in development would be deleted; they are not counted here" }
    guard !records.isEmpty else { return "there are no records in development" }
    let total = counted(Int(records.reduce(0) { $0 + $1.count }), "record")
    return "\(total) would be deleted: "
      + records.map { "\($0.count) \($0.recordType)" }.joined(separator: ", ")
  }
}
