import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Diff as JSON") struct DiffJSONTests {
  @Test("has the keys of the contract")
  func keys() throws {
    let changes = try SchemaDiff.changes(
      from: Schema(parsing: schema("a STRING")),
      to: Schema(parsing: "DEFINE SCHEMA CREATE ROLE r; RECORD TYPE T (a INT64);"))
    expectNoDifference(
      SchemaDiffJSON.render(changes).text(),
      #"{"changes":[{"kind":"addRole","recordType":"","role":"r","risk":"none","development":"allowed","#
        + #""production":"allowed"},{"kind":"changeFieldType","recordType":"T","field":"a","from":"STRING","#
        + #""to":"INT64","risk":"data-loss","development":"unknown","production":"refused","#
        + #""hint":"Production never changes the type of a field: add a new field"}],"#
        + #""summary":{"changes":2,"refusedInDevelopment":0,"refusedInProduction":1,"#
        + #""unknownInDevelopment":1,"unknownInProduction":0}}"#)
  }
}
