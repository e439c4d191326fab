internal import XMLReading

/// Counts words as a reader needs time for them (Documentation/reference/articles.md#reading-time).
package enum WordCount {
  /// Words between white space that have a letter or a digit. In scripts without spaces, Chinese and Japanese, two
  /// characters count as a word.
  package static func of(_ text: String) -> Int {
    var words = 0
    var characters = 0
    var isInWord = false
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        if byte <= 0x20 {
          isInWord = false
        } else if !isInWord, byte.isLetter || byte.isDigit {
          words += 1
          isInWord = true
        }
      } else if scalar.isIdeographic {
        characters += 1
        isInWord = false
      } else if scalar.properties.isWhitespace {
        isInWord = false
      } else if !isInWord, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        words += 1
        isInWord = true
      }
    }
    return words + (characters + 1) / 2
  }

  /// Minutes for 200 words a minute, rounded down, at least 1.
  package static func readingMinutes(words: Int) -> Int { max(1, words / 200) }
}

extension Unicode.Scalar {
  /// Of a script that puts no spaces between words.
  fileprivate var isIdeographic: Bool {
    switch value {
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
      0xFF66...0xFF9D, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
