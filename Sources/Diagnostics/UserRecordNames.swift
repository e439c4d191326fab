extension String {
  /// The text without what has the form of a user record name: a person may be given by mistake where something else is
  /// expected, and an error must not repeat the name (Documentation/Privacy.md#what-it-knows).
  ///
  /// The form is an underscore before 32 or more hexadecimal digits, or, where a word begins, before 16 or more letters and
  /// digits with a digit among them.
  package var withoutUserRecordNames: String {
    let bytes = Array(utf8)
    guard bytes.contains(UInt8(ascii: "_")) else { return self }
    var shown: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let isStart = bytes[place] == UInt8(ascii: "_")
      let word = isStart ? bytes[(place + 1)...].prefix { $0.isASCIILetter || $0.isASCIIDigit } : []
      // The last letter of a terminal's code for a color belongs to no word.
      let begins = shown.last.map { !$0.isIdentifierByte } ?? true || bytes[..<place].suffix(5).contains(0x1B)
      let isName =
        word.prefix(while: \.isHexDigit).count >= 32
        || begins && word.count >= 16 && word.contains(where: \.isASCIIDigit)
      shown += isName ? Array("[user record name]".utf8) : [bytes[place]]
      place += isName ? word.count + 1 : 1
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// The name of a record, without that of a user which a word of it is.
  package var nameWithoutPerson: String { containsUserRecordName ? withoutUserRecordNames : self }

  /// Whether a word of the text is a user record name. In `chat_` and 32 digits it may be part of another record's name.
  package var containsUserRecordName: Bool {
    utf8.split { !$0.isIdentifierByte }.contains { word in
      word.first == UInt8(ascii: "_") && String(Substring(word)).withoutUserRecordNames.first == "["
    }
  }
}
