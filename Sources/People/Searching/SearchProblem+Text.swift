internal import Diagnostics

extension TypeSearchPlan {
  /// How the type is searched, in words.
  var way: String {
    let names = namedAfter.isEmpty ? "" : " and derived names"
    return switch method {
    case .index: "by index\(names)"
    case .scan: "by reading all records\(names)"
    case .name: "by derived names only"
    case .not: "cannot be searched"
    }
  }

  /// Why the type cannot be searched completely, with what to do; `nil` if it can.
  var problemText: String? {
    switch problem {
    case nil: nil
    case .noIndex:
      "it lacks an index: add \"___createdBy\" REFERENCE QUERYABLE or \"___recordID\" REFERENCE QUERYABLE to the schema"
    case .unindexedFields(let fields):
      "records of others may name the person in \(fields.joined(separator: ", ")), which has no index: make it QUERYABLE"
    case .denied:
      roles.read.isEmpty
        ? "this key may not read it, and no role may: grant READ to one in the schema"
        : "this key may not read it: "
          + (lacksOfficer ? "write in the schema GRANT READ, WRITE TO \(Person.officer), or " : "")
          + "give the key's user record the role \(roles.read.joined(separator: " or "))"
    case .perhapsOwnOnly:
      "nothing shows that this key may read records of others, because none is visible: see 'auth check'"
    }
  }

  var isDenied: Bool { problem == .denied || problem == .perhapsOwnOnly }
}

extension [TypeSearchPlan] {
  /// The failure of a search that left something out, for lack of an index or of a permission.
  var searchFailure: CommandFailure? {
    let problems = filter { $0.problem != nil }
    guard !problems.isEmpty else { return nil }
    let isDenied = problems.contains(where: \.isDenied)
    return CommandFailure(
      "\(counted(problems.count, "record type")) could not be searched completely",
      details: problems.compactMap { plan in plan.problemText.map { "\(plan.recordType): \($0)" } },
      code: isDenied ? "not-permitted" : "not-searched",
      hint: "Correct this, and run the command again.", status: .findings)
  }
}
