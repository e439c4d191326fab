extension PredicateFormat {
  /// The words, symbols and quoted values of a format. `distanceToLocation:fromLocation:(a, %@)` is one word with its first
  /// argument.
  static func words(of format: String) -> [String] {
    let unknown = Character(SwiftConstants.unknownPart)
    var words: [String] = []
    var rest = Substring(format)
    func take(_ word: Substring) {
      words.append(String(word))
      rest = rest[word.endIndex...]
    }
    while let first = rest.first {
      let tail = rest.dropFirst()
      switch first {
      case "\"", "'":
        let end = tail.firstIndex(of: first).map { tail.index(after: $0) }
        take(rest[..<(end ?? rest.endIndex)])
      case "%":
        let isObject = tail.first == "@" || tail.first == "K"
        take(isObject ? rest.prefix(2) : rest[..<tail.prefix { $0.isLetter || $0 == "@" }.endIndex])
      case "$": take(rest[..<tail.prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }.endIndex])
      case "=", "!", "<", ">", "&", "|":
        take(rest.prefix { "=!<>&|".contains($0) })
        rest = rest.droppingOptions
      case "(", ")": take(rest.prefix(1))
      case _ where rest.prefix(40).lowercased().hasPrefix("distancetolocation:fromlocation:("):
        words.append("(")
        take(rest.prefix { $0 != "," })
      case _
      where first.isLetter || first.isNumber || "_-".contains(first) || first == unknown
        || first == "." && tail.first?.isNumber ?? false:
        var word = rest.prefix { $0.isLetter || $0.isNumber || "_.-@".contains($0) || $0 == unknown }
        // `1e+3`
        if first.isNumber, word.last == "e" || word.last == "E", rest[word.endIndex...].first == "+" {
          word = rest[..<rest[word.endIndex...].dropFirst().prefix { $0.isNumber }.endIndex]
        }
        let isFunction = rest[word.endIndex...].first == "(" && !isOperator(word.uppercased())
        take(word)
        if isFunction { words[words.count - 1] = "$\(word)(" }
        rest = rest.droppingOptions.dropFirst(isFunction ? 1 : 0)
      default: rest = tail
      }
    }
    return words
  }
}

extension Substring {
  /// Without the options of a comparison: `[cd]` behind CONTAINS or ==.
  fileprivate var droppingOptions: Substring {
    guard first == "[", let end = firstIndex(of: "]") else { return self }
    return self[index(after: end)...]
  }
}
