import Testing
import XMLReading

@Suite struct ElementTextBufferTests {
  /// What a buffer holds.
  private struct Contents: Equatable {
    var text: String
    var isTruncated = false
  }

  private func append(_ text: String, to buffer: inout ElementTextBuffer) {
    Array(text.utf8).withUnsafeBufferPointer { buffer.append($0) }
  }

  private func contents(_ buffer: borrowing ElementTextBuffer) -> Contents {
    let bytes = buffer.bytes
    let count = buffer.count
    #expect(bytes.count == count)
    return Contents(text: String(decoding: bytes, as: UTF8.self), isTruncated: buffer.isTruncated)
  }

  @Test("bytes up to the limit are kept, and what is dropped is remembered")
  func limit() {
    var buffer = ElementTextBuffer(limit: 4)
    #expect(contents(buffer) == Contents(text: ""))
    append("abcd", to: &buffer)
    #expect(contents(buffer) == Contents(text: "abcd"))
    append("e", to: &buffer)
    #expect(contents(buffer) == Contents(text: "abcd", isTruncated: true))
    buffer.restart(at: 2, limit: 3)
    #expect(contents(buffer) == Contents(text: "ab"))
    append("cde", to: &buffer)
    #expect(contents(buffer) == Contents(text: "abcde"))
    append("fg", to: &buffer)
    #expect(contents(buffer) == Contents(text: "abcde", isTruncated: true))
    buffer.truncate(to: 1)
    #expect(contents(buffer).text == "a")
  }

  @Test("what is added without a limit is kept; taking everything leaves nothing")
  func taking() {
    var buffer = ElementTextBuffer(limit: 1)
    Array("ab".utf8).withUnsafeBufferPointer { buffer.appendUnlimited($0) }
    #expect(contents(buffer) == Contents(text: "ab"))
    let taken = buffer.take()
    let text = String(decoding: taken.bytes, as: UTF8.self)
    #expect(text == "ab")
    #expect(contents(buffer) == Contents(text: ""))
  }

  @Test("an attribute's value is written with references for markup and the double quote")
  func attributeValue() {
    var buffer = ElementTextBuffer(limit: 100)
    Array("a&b<c>d\"e'".utf8).withUnsafeBufferPointer { buffer.appendAttributeValue($0) }
    #expect(contents(buffer) == Contents(text: "a&amp;b&lt;c&gt;d&quot;e'"))
  }

  @Test(
    "text is ignored until a mode says otherwise",
    arguments: [(nil, true), (.plain, false), (.escaped, false), (.ignored, true)]
      as [(ElementTextBuffer.Mode?, Bool)])
  func modes(mode: ElementTextBuffer.Mode?, expected: Bool) {
    var buffer = ElementTextBuffer(limit: 1)
    if let mode { buffer.setMode(mode) }
    let isIgnored = buffer.isIgnored
    #expect(isIgnored == expected)
  }
}
