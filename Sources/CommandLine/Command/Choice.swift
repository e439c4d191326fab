internal import ArgumentParser

/// Reads one of a library's fixed set of words, so that libraries need not know about command lines.
public enum Choice {
  public static func parse<Value: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> Value {
    if let value = Value(rawValue: text) { return value }
    let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("'\(text)' is not one of \(known)")
  }
}
