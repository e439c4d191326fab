import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("The report of a pull") struct PullReportTests {
  @Test("what a pull removes from a file is no loss of data, and no environment refuses it")
  func withoutVerdicts() {
    let pull = PulledSchema(
      parse("DEFINE SCHEMA\nRECORD TYPE A ( f INT64 );"),
      into: parse("DEFINE SCHEMA\nRECORD TYPE A ( f STRING QUERYABLE );\nRECORD TYPE B ( g STRING );"))
    expectNoDifference(pull.changes.map(\.kind), [.changeFieldType, .removeIndex, .removeRecordType])
    for change in pull.changes {
      #expect(change.risk == .none && change.development == .allowed && change.production == .allowed)
      #expect(change.hint == nil)
    }
    let report = SchemaPullReport(pull, file: "a.ckdb", isWritten: false)
    expectNoDifference(
      report.text(.plain).description,
      """
      would update a.ckdb

      record type A
        ~ f STRING -> INT64
        - f loses QUERYABLE

      record type B
        - record type removed
            g STRING

      3 changes

      """)
  }
}
