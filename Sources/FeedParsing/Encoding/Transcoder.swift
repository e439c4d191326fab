internal import LibXML2Shim

/// Makes UTF-8 of another encoding, piece by piece.
final class Transcoder {
  private let handle: OpaquePointer
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
  }

  deinit { feed_transcoder_free(handle) }

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
    guard let base = input.baseAddress else { return (0, false) }
    var consumed = 0
    var invalid = false
    let piece = min(input.count, 32 << 10)
    let written = [UInt8](unsafeUninitializedCapacity: piece * 4 + 16) { buffer, count in
      guard let target = buffer.baseAddress else { return }
      count = feed_transcoder_convert(handle, base, piece, &consumed, &invalid, target, buffer.count)
    }
    output.append(contentsOf: written)
    return (consumed, invalid)
  }

  private func replace(_ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    sawInvalid = true
    output.append(contentsOf: "\u{FFFD}".utf8)
  }
}
