/// A request's headers as libcurl wants them: `Name: value`, `Name;` for an empty value, `Name:` to send none.
struct HeaderLines: Sequence {
  private let lines: [String]

  /// Throws when a name or value could smuggle in another line (RFC 9110, section 5.5).
  init(_ request: HTTPRequest) throws(HTTPFailure) {
    // libcurl would wait a second for "100 Continue" before a long body, and label every body as a form.
    var lines = ["Expect:"]
    if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
    for field in request.headers.fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }),
        !field.value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
      else { throw HTTPFailure(.invalidRequest, "the header \(field.name.debugDescription) cannot be sent") }
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    self.lines = lines
  }

  func makeIterator() -> IndexingIterator<[String]> { lines.makeIterator() }
}
