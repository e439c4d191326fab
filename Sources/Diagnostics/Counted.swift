/// A count with its noun in the singular or plural: `1 record`, `2 records`.
public func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
