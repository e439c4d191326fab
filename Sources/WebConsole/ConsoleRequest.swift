/// An HTTP request to the console, independent of the server that received it.
public struct ConsoleRequest: Sendable {
  public var method: String
  /// Path and query, nothing decoded.
  public var target: String
  /// In the order received, repeated ones too; names in lower case.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    self.body = body
  }

  /// The decoded parts of the path: `/records/A%20B` is `["records", "A B"]`.
  var path: [String] {
    target.prefix { $0 != "?" }.split(separator: "/").map { FormValues.decoded($0, plusIsSpace: false) }
  }

  var query: FormValues {
    FormValues(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
  }

  /// The values of a form.
  var form: FormValues { FormValues(String(decoding: body, as: UTF8.self)) }

  /// The only value of a header; `nil` when it is absent. Several values count as one that nothing equals.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  var isForm: Bool { method == "POST" }
}

/// A reply of the console.
public struct ConsoleReply: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
}
