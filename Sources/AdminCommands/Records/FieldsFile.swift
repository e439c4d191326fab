internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

extension Session {
  /// The fields in a JSON file, every one of them a field of the record type where the schema can be had.
  func fields(of recordType: String, from path: String) async throws -> [String: FieldValue] {
    let source = try InputFile.source(path)
    let json = try source.json(RecordRule.invalidJSON)
    let declared = try await declaredFields(of: recordType)
    do {
      let fields = try FieldNotation.fields(json, declared: declared ?? [:])
      for name in fields.keys.sorted() { try refuse(name, unlessIn: declared, of: recordType) }
      return fields
    } catch let error as FieldValueError {
      throw CommandFailure("\(source.name): \(CommandFailure(error).message)", code: "bad-input")
    }
  }
}
