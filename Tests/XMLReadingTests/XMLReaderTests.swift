import Testing

@testable import XMLReading

@Suite struct XMLReaderTests {
  /// Everything that a reader says about a document that arrives in pieces of a length.
  private func read(_ text: String, by length: Int = .max, recovers: Bool = false) -> Recorder {
    let recorder = Recorder()
    let reader = XMLReader(recorder.handlers, limits: XMLLimits(), recovers: recovers)
    recorder.reader = reader
    let bytes = Array(text.utf8)
    let step = max(1, min(length, bytes.count))
    for start in stride(from: 0, to: bytes.count, by: step) {
      let end = min(bytes.count, start + step)
      recorder.wanted.append(Array(bytes[start..<end]).withUnsafeBufferPointer(reader.push))
    }
    reader.finish()
    recorder.result = reader
    return recorder
  }

  @Test(
    "a document that arrives in pieces is read as a whole one",
    arguments: [
      "<a/>", "<?xml version='1.0'?>\n<!DOCTYPE a [\n<!ENTITY x 'yy'>\n]>\n<!--x-->\n<a>\n&x;<b/>\n</a>\n",
      "\n<!-- b --><a>é</a>",
    ])
  func pieces(text: String) {
    let whole = read(text)
    #expect(whole.result?.status == .reading)
    for length in 1..<text.utf8.count {
      let parts = read(text, by: length)
      #expect(parts.tags == whole.tags, "by \(length)")
      #expect(parts.text == whole.text, "by \(length)")
      #expect(parts.result?.status == .reading, "by \(length)")
      #expect(!parts.wanted.contains(false), "by \(length)")
    }
  }

  @Test("the prolog is known when the root element begins, or when the document ends")
  func prolog() {
    #expect(read("<!DOCTYPE html><html/>").result?.prolog?.isHTML == true)
    #expect(read("<!DOCTYPE html>").result?.prolog?.isHTML == true)
    let recorder = Recorder()
    let reader = XMLReader(recorder.handlers, limits: XMLLimits(), recovers: false)
    #expect(Array("<!DOCTYPE html>".utf8).withUnsafeBufferPointer(reader.push))
    #expect(reader.prolog == nil)
    #expect(Array("<html>".utf8).withUnsafeBufferPointer(reader.push))
    #expect(reader.prolog?.isHTML == true)
  }

  @Test(
    "an error or a limit ends the reading, and no more is wanted",
    arguments: [
      ("<a>", false, XMLStatus.illFormed), ("<a></b>", false, .illFormed), ("<a></b></a>", true, .reading),
      ("<!DOCTYPE a", false, .illFormed), ("", false, .illFormed), ("<a/>", false, .reading),
    ])
  func statuses(text: String, recovers: Bool, expected: XMLStatus) {
    #expect(read(text, recovers: recovers).result?.status == expected)
  }

  @Test("after a fault, pieces are refused")
  func refused() {
    let declaration = "<!DOCTYPE a" + String(repeating: " ", count: XMLProlog.limit)
    let parts = read(declaration + declaration, by: declaration.utf8.count)
    #expect(parts.wanted == [false, false])
    #expect(parts.result?.status == .doctypeTooLong)
    #expect(parts.tags == [])
  }

  @Test("what a well-formed document lacks and what an ill-formed one does wrong")
  func errors() {
    let good = read("<a/>").result
    #expect(good?.error == nil && good?.hasUndeclaredPrefix == false && good?.isOverExpanded == false)
    let bad = read("<a>\n</b>").result
    #expect(bad?.error?.line == 2)
    #expect(bad?.error?.message.contains("mismatch") == true)
    #expect(bad?.error?.message.contains("\0") == false)
    #expect(read("<x:a/>").result?.hasUndeclaredPrefix == true)
  }

  @Test("entities may expand to 256 KiB")
  func expansion() {
    for (uses, isOver) in [(1024, false), (1025, true)] {
      let entity = String(repeating: "y", count: 256)
      let document =
        "<!DOCTYPE a [<!ENTITY x '\(entity)'>]><a>\(String(repeating: "&x;", count: uses))</a>"
      #expect(read(document).result?.isOverExpanded == isOver, "\(uses)")
    }
  }
}

/// Records the tags, with their lines, and the text of a document.
private final class Recorder {
  private let buffer: ElementTextBuffer
  var tags: [String] = []
  /// What each piece that was pushed returned.
  var wanted: [Bool] = []
  /// Set before anything is read.
  weak var reader: XMLReader?
  /// The reader, after the end.
  var result: XMLReader?

  init() {
    var buffer = ElementTextBuffer(limit: 1 << 20)
    buffer.setMode(.plain)
    self.buffer = buffer
  }

  var text: String { String(decoding: buffer.bytes, as: UTF8.self) }

  var handlers: XMLHandlers {
    XMLHandlers(
      context: Unmanaged.passUnretained(self).toOpaque(), text: buffer, code: { _, _ in 0 },
      start: { context, tag in
        if let context {
          let recorder = Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue()
          recorder.tags.append("\(XMLElement(tag).localName) \(recorder.reader?.line ?? -1)")
        }
        return XMLElementDecision.read.code
      },
      end: { _ in })
  }
}
