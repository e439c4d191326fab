/// The families of rules, by the two letters that their codes begin with.
public enum RuleFamily: String, Sendable, Hashable, CaseIterable {
  case schema = "CK"
  case seed = "SE"
  case curation = "CU"
  case catalog = "CV"
  case health = "FH"
  case feed = "FP"
  case aggregate = "AG"
  case record = "RC"
  case configuration = "CF"

  /// The family of a code, also of a code of an earlier version; `nil` for anything else.
  public init?(code: String) {
    guard code.utf8.count == 6, code.utf8.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    // The LS codes of earlier versions were merged into the CV codes.
    self.init(rawValue: code.hasPrefix("LS") ? "CV" : String(code.prefix(2)))
  }

  public var title: String {
    switch self {
    case .schema: "Schemas"
    case .seed: "Seeds"
    case .curation: "Curation"
    case .catalog: "Records of the catalog"
    case .health: "Feed health"
    case .feed: "Feed documents"
    case .aggregate: "Aggregates"
    case .record: "Record files"
    case .configuration: "Configuration"
    }
  }
}
