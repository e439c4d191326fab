/// A `multipart/form-data` body with one file (RFC 7578): a schema for the management API, or a file that a form
/// uploads.
package enum MultipartBody {
  /// The body with the file as its only part.
  ///
  /// - Parameter boundary: must not occur in the content; random text of 30 characters will not.
  package static func body(part: String, fileName: String, content: [UInt8], boundary: String) -> [UInt8] {
    let head = """
      --\(boundary)\r
      Content-Disposition: form-data; name="\(part)"; filename="\(fileName)"\r
      Content-Type: application/octet-stream\r
      \r

      """
    return Array(head.utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
  }

  package static func contentType(boundary: String) -> String { "multipart/form-data; boundary=\(boundary)" }

  package static func isContentType(_ text: String) -> Bool {
    text.lowercased().hasPrefix("multipart/form-data")
  }

  /// The content of the part of that name; without a name, of the first part. Throws a sentence saying what is wrong with the body.
  package static func content(
    ofPart name: String?, in body: [UInt8], contentType: String
  ) throws(WireFormatError) -> [UInt8] {
    guard isContentType(contentType), let boundary = boundary(in: contentType)
    else { throw WireFormatError("expected multipart/form-data with a boundary") }
    let delimiter = Array("\r\n--\(boundary)".utf8)
    let framed = Array("\r\n".utf8) + body
    for part in framed.parts(between: delimiter) {
      guard let head = part.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let text = String(decoding: part[..<head.lowerBound], as: UTF8.self)
      if name.map({ text.contains("; name=\"\($0)\"") }) ?? true {
        return Array(part[head.upperBound...])
      }
    }
    throw WireFormatError(name.map { "the body has no part named '\($0)'" } ?? "the body has no part")
  }

  private static func boundary(in contentType: String) -> String? {
    for parameter in contentType.split(separator: ";").dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "boundary" else { continue }
      let value = pair[1].filter { $0 != "\"" }
      return value.isEmpty ? nil : value
    }
    return nil
  }
}

extension [UInt8] {
  /// The parts between the delimiters. An unclosed last part is not returned.
  fileprivate func parts(between delimiter: [UInt8]) -> [ArraySlice<UInt8>] {
    let ranges = self.ranges(of: delimiter)
    return zip(ranges, ranges.dropFirst()).map { self[$0.upperBound..<$1.lowerBound] }
  }
}
