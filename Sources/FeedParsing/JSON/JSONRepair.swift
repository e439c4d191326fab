/// Mends what a strict parser stumbles over in JSON that programs have put together from texts: raw control characters
/// and unknown escapes in strings, a comma after the last element, a document that ends too soon.
enum JSONRepair {
  static func mend(_ text: consuming [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    text.withUnsafeBufferPointer { input in
      var index = 0
      while index < input.count {
        let byte = input[index]
        index += 1
        if byte == UInt8(ascii: ","), endsList(input, from: index) { continue }
        output.append(byte)
        if byte == UInt8(ascii: "\"") { index = copyString(input, from: index, into: &output) }
      }
    }
    let end = output.withUnsafeBufferPointer(JSONItems.unfinishedItem)
    if let end { output.replaceSubrange(end..., with: "]}".utf8) }
    return output
  }

  private static func endsList(_ input: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    let next = input[start...].first { !$0.isSpace }
    return next == UInt8(ascii: "]") || next == UInt8(ascii: "}")
  }

  /// Up to the closing quote, which is copied, too. Returns where what follows begins.
  private static func copyString(
    _ input: UnsafeBufferPointer<UInt8>, from start: Int, into output: inout [UInt8]
  ) -> Int {
    var index = start
    while index < input.count {
      let byte = input[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        output.append(byte)
        return index
      case UInt8(ascii: "\\") where index < input.count:
        // The backslash before any other character says nothing.
        if "\"\\/bfnrtu".utf8.contains(input[index]) { output.append(byte) }
        output.append(input[index])
        index += 1
      case 0..<0x20: output.append(contentsOf: (byte.isSpace ? "\\n" : "").utf8)
      default: output.append(byte)
      }
    }
    return index
  }
}
