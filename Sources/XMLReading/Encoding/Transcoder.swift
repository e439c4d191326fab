internal import LibXML2Shim

/// Converts text from another encoding to UTF-8 with the system's iconv.
package final class Transcoder {
  private let handle: OpaquePointer
  private let scratch: UnsafeMutableBufferPointer<UInt8>
  private static let piece = 8 << 10
  private static let replacement = Array("\u{FFFD}".utf8)
  /// True once bytes that are not valid in the encoding were replaced by U+FFFD.
  package private(set) var sawInvalid = false
  /// True when a document ended within a character, which is left out.
  private var isCut = false

  package static func knows(_ encoding: EncodingLabel) -> Bool {
    encoding.isUTF8 || Transcoder(encoding) != nil
  }

  package init?(_ encoding: EncodingLabel) {
    guard let handle = xml_shim_transcoder_create(encoding.converterName) else { return nil }
    self.handle = handle
    // After the guard: `deinit` does not run when `init` fails.
    scratch = .allocate(capacity: Self.piece * 4 + 16)
  }

  deinit {
    xml_shim_transcoder_free(handle)
    scratch.deallocate()
  }

  /// Converts a whole document, up to about `limit` bytes of text.
  package func convert(
    _ input: UnsafeBufferPointer<UInt8>, upTo limit: Int = .max, into text: inout ByteBuffer
  ) {
    var rest = input
    while !rest.isEmpty, text.count < limit {
      let (consumed, invalid) = step(rest, into: &text)
      rest = UnsafeBufferPointer(rebasing: rest[consumed...])
      if invalid {
        sawInvalid = true
        // One U+FFFD for a whole run of invalid bytes, so that invalid text does not grow.
        if !text.bytes.suffix(3).elementsEqual(Self.replacement) {
          Self.replacement.withUnsafeBufferPointer { text.append($0) }
        }
        rest = UnsafeBufferPointer(rebasing: rest[min(1, rest.count)...])
      } else if consumed == 0 {
        isCut = true
        return
      }
    }
  }

  private func step(
    _ input: UnsafeBufferPointer<UInt8>, into text: inout ByteBuffer
  ) -> (consumed: Int, invalid: Bool) {
    guard let base = input.baseAddress, let room = scratch.baseAddress else { return (0, false) }
    var consumed = 0
    var invalid = false
    let piece = min(input.count, Self.piece)
    let written = xml_shim_transcoder_convert(handle, base, piece, &consumed, &invalid, room, scratch.count)
    text.append(UnsafeBufferPointer(rebasing: scratch[..<written]))
    return (consumed, invalid)
  }

  /// True when all bytes are valid in the encoding. Converts a document in another encoding than UTF-8 to find out.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>, in encoding: EncodingLabel) -> Bool {
    guard !encoding.isUTF8 else { return EncodingDetector.isUTF8(bytes) }
    guard let transcoder = Transcoder(encoding) else { return false }
    var text = ByteBuffer()
    transcoder.convert(bytes, into: &text)
    return !transcoder.sawInvalid && !transcoder.isCut
  }

  /// Converts a whole document to UTF-8 and returns the encoding it was read in: `encoding`, or, when the bytes are not
  /// valid in it, the one that ``EncodingDetector`` finds. A document that is valid UTF-8 is not copied: `text` then
  /// stays empty.
  ///
  /// - Parameter isValid: whether the bytes are valid in `encoding`; `nil` to find out.
  package static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, as encoding: EncodingLabel, isValid: Bool? = nil, upTo limit: Int,
    into text: inout ByteBuffer
  ) -> EncodingLabel {
    let isValid = isValid ?? Self.isValid(bytes, in: encoding)
    let used = isValid ? encoding : EncodingDetector.detect(bytes)
    guard !isValid || !used.isUTF8, let transcoder = Transcoder(used) else { return used }
    transcoder.convert(bytes, upTo: limit, into: &text)
    return used
  }
}
