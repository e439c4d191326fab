internal import CloudKitModel
internal import Diagnostics
internal import PositionedJSON

extension Session {
  /// The fields in a JSON file. The schema is read only where it has to say what type they are.
  func fields(of recordType: String, from path: String) async throws -> [String: FieldValue] {
    let source = try InputFile.source(path)
    let json = try source.json()
    let needsTypes = FieldNotation.needsDeclaredTypes(json)
    let declared = needsTypes ? try await declaredFields(of: recordType) ?? [:] : [:]
    do {
      return try FieldNotation.fields(json, declared: declared)
    } catch {
      throw CommandFailure("\(source.name): \(error.reason)", code: "bad-input")
    }
  }
}
