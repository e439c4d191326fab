package import Diagnostics

package struct GenerateReport: Report {
  private let differences: GeneratedFolder.Differences
  private let folder: String
  private let fileCount: Int
  private let isCheck: Bool
  private let command: String

  /// - Parameters:
  ///   - fileCount: files that the schema makes.
  ///   - command: writes the folder, for the hint of a check.
  package init(
    _ differences: GeneratedFolder.Differences, folder: String, fileCount: Int, isCheck: Bool, command: String
  ) {
    self.differences = differences
    self.folder = folder
    self.fileCount = fileCount
    self.isCheck = isCheck
    self.command = command
  }

  package var status: ExitStatus { isCheck && !differences.isEmpty ? .differences : .done }
  package var isConfirmation: Bool { !isCheck || differences.isEmpty }

  package var json: JSONValue {
    func list(_ names: [String]) -> JSONValue { .array(names.map(JSONValue.string)) }
    return [
      "folder": .string(folder), "files": JSONValue(fileCount), "missing": list(differences.missing),
      "changed": list(differences.changed), "leftOver": list(differences.leftOver),
      "notGenerated": list(differences.foreign), "written": .bool(!isCheck && !differences.isEmpty),
    ]
  }

  package var body: ReportBody {
    let words: [(String, [String])] =
      isCheck
      ? [
        ("missing", differences.missing), ("changed", differences.changed),
        ("left over", differences.leftOver), ("not generated", differences.foreign),
      ]
      : [("wrote", differences.missing + differences.changed), ("removed", differences.leftOver)]
    if differences.isEmpty { "\(folder) is up to date" }
    for (word, names) in words { for name in names { "\(word) \(folder)/\(name)" } }
    if isCheck, !differences.isEmpty { "\(folder) is out of date; run: \(command, .code)" }
  }
}
