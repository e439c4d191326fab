internal import CloudKitModel

/// Counts groups and checks the name of each record on the way. Reads the records in the order of their row ids, in
/// which SQLite joins the type's table with the directory fastest, and groups them here.
struct VerifiedGroupCounts {
  let sql: SQLFragment
  let rule: RecordNameRule?
  let names: CreatorNames

  /// The counts by group, and how many records were left out because their name breaks the rule.
  func counts(_ runner: QueryRunner) throws -> (groups: [GroupCount], leftOut: Int64) {
    let checker = CreatorNames.Checker(names)
    var groups: [String: NameTally] = [:]
    var leftOut: Int64 = 0
    try runner.db.forEachRow(sql.sql, sql.values) { row in
      row.withText(1) { name in
        guard rule?.accepts(name) ?? true else { return leftOut += 1 }
        let group = row.text(0)
        let kind = row.withText(0) { group in
          row.withText(2) { checker.check(name, group: group, creator: $0) }
        }
        groups[group, default: NameTally()].add(kind)
      }
    }
    return (groups.map { GroupCount(group: $0, names: $1) }, leftOut)
  }
}
