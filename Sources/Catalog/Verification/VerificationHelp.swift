import Diagnostics

/// The help texts of findings. Each names the command that corrects the finding.
enum VerificationHelp {
  static func delete(_ recordNames: [String]) -> String {
    "celestra-admin records delete \(recordNames.map(\.shellWord).joined(separator: " "))"
  }

  static func delete(_ recordType: String, where field: String, is value: String) -> String {
    "celestra-admin records delete \(recordType) --filter \("\(field) == \"\(value)\"".shellWord)"
  }

  static func query(_ recordType: String, where field: String, is value: String) -> String {
    "celestra-admin records query \(recordType) --filter \("\(field) == \"\(value)\"".shellWord)"
  }

  static func update(_ recordType: String, _ recordName: String) -> String {
    "celestra-admin records update \(recordType) \(recordName.shellWord) --fields-file FILE"
  }

  static func export(_ recordType: String) -> String { "celestra-admin records export \(recordType)" }

  static let fix = "celestra-admin container verify --fix"
}

extension String {
  /// The text as one word of a shell's command line.
  fileprivate var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        case UInt8(ascii: "-"): utf8.first != UInt8(ascii: "-")
        default: false
        }
      }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}
