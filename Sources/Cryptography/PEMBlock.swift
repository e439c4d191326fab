internal import COpenSSL

/// The first PEM block of a text, with its label, before it is decoded. Skips curve parameters.
struct PEMBlock {
  /// `EC PRIVATE KEY`, `PUBLIC KEY`, ….
  let label: String
  let labels: [String]
  let isEncrypted: Bool
  let bytes: [UInt8]

  /// Also accepts a text with line ends written as `\n`, as secret stores often return it.
  init(_ bytes: [UInt8]) throws(KeyError) {
    let text = bytes.replacing("\\n".utf8, with: "\n".utf8)
    labels = Self.labels(in: text)
    guard let label = labels.first(where: { $0 != "EC PARAMETERS" }) else { throw .notPEM }
    self.label = label
    self.bytes = text
    isEncrypted =
      label == "ENCRYPTED PRIVATE KEY" || text.firstRange(of: "Proc-Type: 4,ENCRYPTED".utf8) != nil
  }

  private static func labels(in bytes: [UInt8]) -> [String] {
    let begin = Array("-----BEGIN ".utf8)
    return bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
      .compactMap { line in
        guard line.starts(with: begin) else { return nil }
        let label = line.dropFirst(begin.count).prefix { $0 != UInt8(ascii: "-") }
        return String(decoding: label, as: UTF8.self)
      }
  }
}

/// Calls `body` with a read-only OpenSSL stream over the bytes.
func withInput<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
  bytes.withUnsafeBytes { buffer in
    let stream = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
    defer { BIO_free(stream) }
    return body(stream)
  }
}

/// The bytes that `body` writes to an OpenSSL stream; `nil` when it returns false.
func output(_ body: (OpaquePointer?) -> Bool) -> [UInt8]? {
  let stream = BIO_new(BIO_s_mem())
  defer { BIO_free(stream) }
  guard body(stream) else { return nil }
  let count = BIO_ctrl_pending(stream)
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    written = max(0, Int(BIO_read(stream, buffer.baseAddress, Int32(clamping: count))))
  }
}
