internal import Diagnostics

/// The names and values of a URL query or a form, in their order; a name may be repeated.
struct FormValues: Sendable, Hashable {
  private struct Item: Hashable {
    let name: String
    let value: String
  }

  private let items: [Item]

  init(_ text: some StringProtocol) {
    items = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return Item(
        name: PercentEncoding.decodeAny(parts[0], plusIsSpace: true),
        value: parts.count > 1 ? PercentEncoding.decodeAny(parts[1], plusIsSpace: true) : "")
    }
  }

  subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }
}
