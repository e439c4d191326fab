internal import ArgumentParser

/// Parses the value of an option into an enum of a library, so that libraries do not depend on the command-line
/// parser.
public enum EnumOption {
  public static func parse<Value: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> Value {
    if let value = Value(rawValue: text) { return value }
    let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("'\(text)' is not one of \(known)")
  }
}
