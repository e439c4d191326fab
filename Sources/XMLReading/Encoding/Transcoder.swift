internal import LibXML2Shim

/// Makes UTF-8 of another encoding, piece by piece.
final class Transcoder {
  private let handle: OpaquePointer
  private let scratch: UnsafeMutableBufferPointer<UInt8>
  private static let piece = 8 << 10
  private static let portion = 64 << 10
  /// The start of a character whose end has not arrived.
  private var pending: [UInt8] = []
  /// True once bytes that do not belong to the encoding were replaced by U+FFFD.
  private(set) var sawInvalid = false

  static func knows(_ encoding: EncodingLabel) -> Bool {
    encoding.isUTF8 || Transcoder(encoding) != nil
  }

  /// `nil` when the system has no such encoding.
  init?(_ encoding: EncodingLabel) {
    guard let handle = feed_transcoder_create(encoding.converterName) else { return nil }
    self.handle = handle
    // Not before: of an object that could not be made no `deinit` runs.
    scratch = .allocate(capacity: Self.piece * 4 + 16)
  }

  deinit {
    feed_transcoder_free(handle)
    scratch.deallocate()
  }

  func convert(_ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    guard pending.isEmpty else {
      let joined = pending + input
      pending = []
      return joined.withUnsafeBufferPointer { convert($0, into: &output) }
    }
    var rest = input
    while !rest.isEmpty {
      let (consumed, invalid) = step(rest, into: &output)
      rest = UnsafeBufferPointer(rebasing: rest[consumed...])
      if invalid {
        replace(rest, into: &output)
        rest = UnsafeBufferPointer(rebasing: rest[min(1, rest.count)...])
      } else if consumed == 0 {
        pending = Array(rest)
        return
      }
    }
  }

  /// A whole document, until there is `limit` of its text.
  func convert(_ input: UnsafeBufferPointer<UInt8>, upTo limit: Int, into text: inout ByteBuffer) {
    for start in stride(from: 0, to: input.count, by: Self.portion) where text.count < limit {
      let end = min(start + Self.portion, input.count)
      var converted: [UInt8] = []
      convert(UnsafeBufferPointer(rebasing: input[start..<end]), into: &converted)
      if end == input.count { finish(into: &converted) }
      converted.withUnsafeBufferPointer { text.append($0) }
    }
  }

  /// Replaces an unfinished character at the end.
  func finish(into output: inout [UInt8]) {
    guard !pending.isEmpty else { return }
    pending = []
    sawInvalid = true
    output.append(contentsOf: "\u{FFFD}".utf8)
  }

  private func step(
    _ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]
  ) -> (consumed: Int, invalid: Bool) {
    guard let base = input.baseAddress, let room = scratch.baseAddress else { return (0, false) }
    var consumed = 0
    var invalid = false
    let piece = min(input.count, Self.piece)
    let written = feed_transcoder_convert(handle, base, piece, &consumed, &invalid, room, scratch.count)
    output.append(contentsOf: scratch[..<written])
    return (consumed, invalid)
  }

  /// One character stands for a whole run of bytes that do not belong: text of nothing else must not grow.
  private func replace(_ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    sawInvalid = true
    if !output.suffix(3).elementsEqual("\u{FFFD}".utf8) { output.append(contentsOf: "\u{FFFD}".utf8) }
  }
}
