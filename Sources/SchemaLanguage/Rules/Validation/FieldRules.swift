import Diagnostics

extension SchemaRule {
  static let impossibleOption = SchemaRule(
    "CK0124", in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields {
        guard let declared = field.type else { continue }
        let possible = declared.possibleIndexes
        guard !field.indexes.isSubset(of: possible) else { continue }
        for option in field.options(in: findings.source) where !possible.contains(option.index) {
          findings.report(
            "'\(field.name)' cannot be \(option.index.rawValue): \(reason(declared))", at: option.range,
            fix: (option.range, ""))
        }
      }
    })

  private static func reason(_ type: DataType) -> String {
    switch type.primitive {
    case .encrypted: "an encrypted field cannot be indexed"
    case .asset: "an asset cannot be indexed"
    default: "only STRING and LIST<STRING> contain words"
    }
  }

  static let repeatedOption = SchemaRule(
    "CK0125", in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields where field.repeatsOption {
        var seen: EnumSet<Index> = []
        for option in field.options(in: findings.source) where !seen.insert(option.index).inserted {
          findings.report(
            "'\(field.name)' is already \(option.index.rawValue)", at: option.range, fix: (option.range, ""))
          break
        }
      }
    })

  static let systemFieldType = SchemaRule(
    "CK0126", in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields where field.name.utf8.first == UInt8(ascii: "_") {
        guard let declared = field.type, let own = SystemField(storedName: field.name)?.dataType,
          own != declared
        else {
          continue
        }
        findings.report(
          "the system field '\(field.name)' has the type \(own), not \(declared)", at: field.typeRange,
          help: "the types of system fields cannot be changed", fix: (field.typeRange, own.description))
      }
    })
}

extension DataType {
  /// The indexes that a field of the type may have
  /// (Documentation/reference/schema-language.md#types-and-indexes).
  var possibleIndexes: EnumSet<Index> {
    switch primitive {
    case .encrypted, .asset: []
    case .plain(.string): [.queryable, .searchable, .sortable]
    default: [.queryable, .sortable]
    }
  }
}
