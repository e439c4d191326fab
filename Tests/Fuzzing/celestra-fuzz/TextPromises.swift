import CloudKitModel
import Diagnostics
import WebServicesWire

/// What the parts of a request that are not JSON promise for any text at all.
enum TextPromises {
  /// The first promise this text breaks, in words; `nil` when all are kept.
  static func broken(by text: String) -> String? {
    if PercentEncoding.decode(PercentEncoding.encode(text)) != text { return "percent escapes change a text" }
    _ = PercentEncoding.queryItems(text)
    if let time = Timestamp(wholeSeconds: text), time.wholeSeconds != text {
      return "a date is written differently"
    }
    return brokenPath(text) ?? brokenUpload(text)
  }

  /// A path without escapes is written as it was read.
  private static func brokenPath(_ text: String) -> String? {
    guard let path = try? ServicePath(parsing: text), !text.utf8.contains(UInt8(ascii: "%")) else {
      return nil
    }
    return path.text == text ? nil : "a path is written differently: \(path.text)"
  }

  /// An upload whose boundary does not occur in it comes back byte for byte.
  private static func brokenUpload(_ text: String) -> String? {
    let boundary = "1q2w3e4r5t6y7u8i9o0p1a2s3d4f5g"
    guard !text.contains(boundary) else { return nil }
    let content = Array(text.utf8)
    let body = MultipartBody.body(part: "file", fileName: "a", content: content, boundary: boundary)
    let type = MultipartBody.contentType(boundary: boundary)
    guard (try? MultipartBody.content(ofPart: "file", in: body, contentType: type)) == content else {
      return "an upload comes back changed"
    }
    _ = try? MultipartBody.content(ofPart: "file", in: content, contentType: text)
    return nil
  }
}
