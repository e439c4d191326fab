internal import Diagnostics

package struct ConsoleRequest: Sendable {
  package var method: String
  /// Path and query, nothing decoded.
  package var target: String
  /// In the order received, repeated ones too; names in lower case.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    self.body = body
  }

  var query: FormValues {
    FormValues(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
  }

  var form: FormValues { FormValues(String(decoding: body, as: UTF8.self)) }

  /// The only value of a header; `nil` when it is absent. Several values count as one that nothing equals.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The values of the cookies of a name, of which a browser may send several.
  func cookies(named name: String) -> [String] {
    headers.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { cookie in
      let pair = cookie.drop { $0 == " " }
      return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
    }
  }

  var isForm: Bool { method == "POST" }
}

/// The names and values of a URL query or a form, in their order; a name may be repeated.
struct FormValues: Sendable {
  private let items: [(name: String, value: String)]

  init(_ text: some StringProtocol) {
    items = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentEncoding.decodeAny(parts[0], plusIsSpace: true),
        parts.count > 1 ? PercentEncoding.decodeAny(parts[1], plusIsSpace: true) : ""
      )
    }
  }

  subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }
}
