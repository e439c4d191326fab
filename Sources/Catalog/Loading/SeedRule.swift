public import Diagnostics

/// What can be wrong with seeds. A code is never given to another rule.
public enum SeedRule: String, Sendable, Hashable, CaseIterable {
  case unreadable = "SE0101"
  case outsideTree = "SE0102"
  case tooLarge = "SE0103"
  case invalidJSON = "SE0104"
  case unexpectedFile = "SE0105"

  case wrongType = "SE0201"
  case missing = "SE0202"
  case unknownKey = "SE0203"
  case computedField = "SE0204"
  case unusableText = "SE0205"

  case badSlug = "SE0301"
  case badURL = "SE0302"
  case badLanguage = "SE0303"
  case badColor = "SE0304"
  case badTag = "SE0305"
  case badRecordName = "SE0306"
  case badIcon = "SE0307"

  case duplicateSlug = "SE0401"
  case duplicateName = "SE0402"
  case duplicateURL = "SE0403"
  case duplicateRecordName = "SE0404"
  case unknownCategory = "SE0405"
  case cyclicParent = "SE0406"
  case unknownFeed = "SE0407"
  case repeatedFeed = "SE0408"
  case recordTooLarge = "SE0409"
  case emptyCollection = "SE0410"

  public var severity: Diagnostic.Severity {
    switch self {
    case .computedField: .note
    case .unexpectedFile, .badIcon, .emptyCollection: .warning
    default: .error
    }
  }

  /// What the rule asks for, for a table of rules.
  public var purpose: String {
    switch self {
    case .unreadable: "every seed file and folder can be read"
    case .outsideTree: "no symbolic link leads out of the seed directory"
    case .tooLarge: "no seed file is larger than the loader's limit"
    case .invalidJSON: "every seed file is one JSON object"
    case .unexpectedFile: "every JSON file stands where it is read"
    case .wrongType: "every value has its field's type"
    case .missing: "required fields are there"
    case .unknownKey: "every key is known"
    case .computedField: "computed fields are left to the jobs that compute them"
    case .unusableText: "required text is not blank, and no text holds control characters"
    case .badSlug: "slugs are lower-case words joined by hyphens"
    case .badURL: "URLs are absolute, http or https, and properly encoded"
    case .badLanguage: "languages are ISO 639-1 codes"
    case .badColor: "colours are #RRGGBB"
    case .badTag: "tags are lower case, without white space or commas, each once"
    case .badRecordName: "record names are ones CloudKit takes"
    case .badIcon: "icons look like SF Symbol names"
    case .duplicateSlug: "a slug is declared once a kind"
    case .duplicateName: "no two categories, and no two collections, have the same name"
    case .duplicateURL: "a feed's normalised URL is declared once"
    case .duplicateRecordName: "a record name is given to one feed"
    case .unknownCategory: "categories that are referred to are declared"
    case .cyclicParent: "no category is its own ancestor"
    case .unknownFeed: "feeds of a collection are declared"
    case .repeatedFeed: "a feed stands in a collection once"
    case .recordTooLarge: "a record takes at most 1 MB"
    case .emptyCollection: "a collection has feeds"
    }
  }
}

extension Diagnostic {
  init(
    _ rule: SeedRule, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.init(
      rule.rawValue, severity ?? rule.severity, message, at: range, notes: notes, help: help, fix: fix)
  }
}
