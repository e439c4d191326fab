internal import Diagnostics

/// The declaration of a function or an initializer.
struct SwiftFunction: Sendable {
  struct Parameter: Sendable {
    let label: String?
    let name: String
    let type: SwiftType?
    let hasDefault: Bool
  }

  /// `init` for an initializer.
  let name: String
  let parameters: [Parameter]
  let result: SwiftType?
  /// The brace of its body, if it has one.
  let body: Int?

  /// The functions of a file, by the place where the parameters begin.
  static func all(in tokens: [SwiftToken]) -> [Int: SwiftFunction] {
    var all: [Int: SwiftFunction] = [:]
    for index in tokens.indices {
      guard let word = tokens[index].word, word == "func" || word == "init", !tokens[index - 1].isMark("."),
        let open = tokens[index...].prefix(24).firstIndex(where: { $0.isMark("(") })
      else { continue }
      all[open] = SwiftFunction(tokens, word == "init" ? word : tokens[index + 1].word ?? "", open)
    }
    return all
  }

  private init(_ tokens: [SwiftToken], _ name: String, _ open: Int) {
    self.name = name
    parameters = tokens.parameters(in: open)
    var place = tokens[open].pair + 1
    var arrow: Int?
    while !tokens[place].isMark(of: "{});"), !tokens[place].isEdge,
      !tokens[place].startsLine || !(tokens[place].word.map(Self.declarations.contains) ?? false)
    {
      if arrow == nil, tokens[place].isMark(">"), tokens[place - 1].isMark("-") { arrow = place }
      place = tokens.next(place)
    }
    body = tokens[place].isMark("{") ? place : nil
    result = arrow.flatMap { tokens.type(at: $0 + 1)?.type }
  }

  private static let declarations: Set<String> = [
    "func", "var", "let", "init", "subscript", "case", "static", "mutating", "associatedtype",
  ]

  /// The arguments of a call by parameter, `nil` for a parameter that keeps its default; `nil` for a call of another
  /// function.
  func arguments(_ given: [(label: String?, value: Int)]) -> [Int?]? {
    var rest = given[...]
    var places: [Int?] = []
    for parameter in parameters {
      if let next = rest.first, next.label == parameter.label {
        places.append(next.value)
        rest.removeFirst()
      } else if parameter.hasDefault {
        places.append(nil)
      } else {
        return nil
      }
    }
    return rest.isEmpty ? places : nil
  }
}

/// The declaration of a property or a variable.
struct SwiftBinding {
  let name: String
  let place: Int
  let isConstant: Bool
  /// The type that it states.
  let type: SwiftType?
  /// Where its first value begins.
  let value: Int?
  /// The brace of the body that computes it.
  let body: Int?

  /// The names behind `let` or `var`: `a = 1, b: Int`.
  static func all(_ tokens: [SwiftToken], at keyword: Int) -> [SwiftBinding] {
    var all: [SwiftBinding] = []
    var place = keyword
    repeat {
      let start = place + 1
      guard let name = tokens[start].word else { break }
      place = start + 1
      let isTyped = tokens[place].isMark(":")
      let type = isTyped ? tokens.type(at: place + 1) : nil
      if isTyped { place = type?.end ?? place + 1 }
      while isTyped, !tokens[place].isMark(of: "={;},)"), !tokens[place].startsLine {
        place = tokens.next(place)
      }
      let isGiven = tokens[place].isMark("=")
      all.append(
        SwiftBinding(
          name: name, place: start, isConstant: tokens[keyword].word == "let", type: type?.type,
          value: isGiven ? place + 1 : nil,
          body: tokens[place].isMark("{") ? place : nil))
      guard isGiven || tokens[place].isMark(",") else { break }
      if isGiven { place = tokens.next(place) }
      while isGiven, !tokens[place].isMark(of: ",;)]}"), !tokens[place].startsLine {
        place = tokens.next(place)
      }
    } while tokens[place].isMark(",")
    return all
  }
}

extension [SwiftToken] {
  /// The parameters of a function, or the elements of a tuple's or a closure's type, in the parentheses at a place:
  /// `(_ a: CKRecord, b c: Int = 1)`, `(id: CKRecord.ID, Bool)`.
  func parameters(in open: Int) -> [SwiftFunction.Parameter] {
    let close = self[open].pair
    var parameters: [SwiftFunction.Parameter] = []
    var place = open + 1
    while place < close {
      while self[place].isMark("@"), self[place + 1].word != nil {
        place += 2
        if self[place].isMark("("), isJoined(place) { place = next(place) }
      }
      let name =
        self[place].word == nil
        ? nil : [place + 1, place].first { self[$0].word != nil && self[$0 + 1].isMark(":") }
      let label = name == nil || self[place].word == "_" ? nil : self[place].word
      let type = self.type(at: name.map { $0 + 2 } ?? place)?.type
      var (depth, hasDefault) = (0, false)
      while place < close, !self[place].isMark(",") || depth > 0 {
        if self[place].isMark("=") { (depth, hasDefault) = (0, true) }
        if self[place].isMark("<"), !hasDefault { depth += 1 }
        if self[place].isMark(">"), !hasDefault, !self[place - 1].isMark("-") { depth -= 1 }
        place = next(place)
      }
      parameters.append(
        SwiftFunction.Parameter(
          label: label, name: name.flatMap { self[$0].word } ?? "", type: type, hasDefault: hasDefault))
      place += 1
    }
    return parameters
  }
}

/// A function of the app's own. A maker's body is one call that makes a record or a query of the type in a parameter.
struct SwiftMaker: Sendable {
  let source: SourceText
  let function: SwiftFunction
  /// The name of a call.
  let name: String
  /// The type that has it; `nil` for an initializer.
  let owner: String?
  /// `CKRecord` or `CKQuery`.
  let made: String
  /// Where the body names the record type; `nil` for another function.
  private(set) var place: Int?
  /// The numbers of the parameters, and the type of that with the record type, of which the body names a member.
  private(set) var (argument, predicate, type, member): (Int, Int?, String, String) = (0, nil, "", "")

  init?(_ file: SwiftFile, _ function: SwiftFunction, in owner: String?) {
    let (tokens, isInit) = (file.tokens, function.name == "init")
    guard let body = function.body, !isInit || owner == "CKRecord" || owner == "CKQuery" else { return nil }
    (source, self.function, self.owner) = (file.source, function, isInit ? nil : owner)
    name = isInit ? owner ?? "" : function.name
    made = isInit ? name : function.result?.name ?? ""
    let (path, _, call) = tokens.path(at: body + (tokens[body + 1].word == "return" ? 2 : 1))
    guard path == (isInit ? ["self", "init"] : [made]), made == "CKRecord" || made == "CKQuery",
      tokens[call].isMark("("), tokens[call].pair + 1 == tokens[body].pair,
      let place = tokens.argument("recordType", from: call + 1)
    else { return }
    let parameters = function.parameters
    let (value, _, end) = tokens.path(at: place)
    if let given = tokens.argument("predicate", from: call + 1), tokens[given + 1].isMark(of: ",)") {
      predicate = parameters.firstIndex { $0.name == tokens[given].word }
    }
    guard value.count < 3, tokens[end].isMark(of: ",)"), made == "CKRecord" || predicate != nil,
      let argument = parameters.firstIndex(where: { $0.name == value.first && $0.label != "recordType" }),
      let type = parameters[argument].type
    else { return }
    self.type = type.name == "CKRecord.RecordType" ? "RecordType" : type.name
    member = value.count == 2 ? value[1] : ["String", "RecordType"].contains(self.type) ? "rawValue" : ""
    (self.place, self.argument) = (place, argument)
  }
}
