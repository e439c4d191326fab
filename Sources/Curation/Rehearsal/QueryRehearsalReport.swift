package import Diagnostics
internal import SchemaLanguage

extension [QueryRehearsalResult] {
  package func report(reading: [Diagnostic], failOn: Diagnostic.Severity) -> PlainReport {
    let findings = reading + flatMap(\.diagnostics)
    return PlainReport(
      findings.status(failOn: failOn), json: ["queries": .array(map(\.json))], findings: findings
    ) {
      for (index, result) in enumerated() {
        result.item
        result.subscriptionItem(beside: self[..<index] + self[(index + 1)...])
      }
      findings
      "\(count) \(count == 1 ? "query" : "queries"): \(findings.verdict())"
    }
  }
}

extension QueryRehearsalResult {
  var diagnostics: [Diagnostic] {
    var list = schemaProblems.map { problem in
      let isShared = query.subscription != nil && problem.isOfFilter && problem.line != nil
      return Diagnostic(
        problem.kind.rule,
        "\(query.query.subject)\(problem.message)\(isShared ? ", and so does its subscription" : "")",
        at: problem.place, help: problem.help)
    }
    func report(_ rule: CurationRule, _ message: String, at key: String = "name") {
      list.append(Diagnostic(rule, message, at: query.place(of: key), help: rule.rule.help))
    }
    if let refusal { report(.refusedQuery, "\(query.query.subject)the container refuses it: \(refusal)") }
    for problem in subscriptionProblems {
      report(.subscriptionFields, "the subscription of '\(name)': \(problem)", at: "subscription")
    }
    if allowed, !query.mayBeEmpty, !emptyFor.isEmpty {
      let labels = emptyFor.filter { !$0.isEmpty }
      report(
        .emptyScreen, "'\(name)' is empty" + (labels.isEmpty ? "" : " for \(listed(labels, upTo: 10))"))
    }
    if !withoutValues.isEmpty, !query.mayBeEmpty { report(.emptyScreen, "'\(name)' was not run: \(reason)") }
    if let truncatedAt {
      report(
        .truncatedScreen, "'\(name)' ends after \(counted(truncatedAt, "row")), and there are more",
        at: "limit")
    }
    list += followed.filter { !$0.missing.isEmpty }.map { references in
      let names = listed(references.missing.map { "'\($0)'" }, upTo: 10)
      return Diagnostic(
        CurationRule.missingRecords,
        "'\(name)' brings \(references.text) of '\(references.label)': \(names) "
          + "\(references.missing.count == 1 ? "is" : "are") not there",
        at: query.place(of: "lookup"),
        help:
          "Take the reference out of the record \(references.recordName), or run 'celestra-admin seed apply' "
          + "with seeds that have what it names.")
    }
    return list
  }

  private var reason: String {
    let names = withoutValues.map { "$\($0.rawValue)" }.joined(separator: " and ")
    return "no record gives \(names) a value; an app with other record types writes a constant there"
  }

  fileprivate var json: JSONValue {
    let found = found.map { (key: $0.phrase, value: JSONValue.array($0.titles.map(JSONValue.string))) }
    let subscription = query.subscription?.json.adding([
      "filters": query.subscribedFilters.json, "missingIndexes": subscriptionIndexes.json,
      "problems": subscriptionProblems.json,
    ])
    return .object([
      "name": name.json, "recordType": query.recordType.json, "allowed": allowed.json,
      "missingIndexes": missingIndexes.json, "problems": problems.json, "rows": rows.json,
      "truncatedAt": truncatedAt?.json, "empty": isEmpty.json,
      "emptyFor": .array(emptyFor.filter { !$0.isEmpty }.map(JSONValue.string)),
      "missingRecords": missingRecords.json,
      "followed": followed.isEmpty ? nil : .array(followed.map(\.json)),
      "found": found.isEmpty ? nil : .object(JSONObject(found)), "subscription": subscription,
      "needsSchema": needsSchema?.json, "requests": requests.json,
    ])
  }

  fileprivate var item: ListItem {
    if let needsSchema { return ListItem(.note, "\(name)  \("needs \(needsSchema)", .dim)") }
    guard allowed else { return ListItem(.bad, "\(name)") }
    guard withoutValues.isEmpty else { return ListItem(.caution, "\(name)  \("not run: \(reason)", .dim)") }
    let worst = diagnostics.map(\.severity).max()
    return ListItem(
      worst == .error ? .bad : worst == .warning ? .caution : .good,
      "\(name)  \("\(counted(rows, "row")), \(counted(requests, "request"))", .dim)",
      details: found.map { phrase, titles in
        "“\(phrase)” finds \(titles.isEmpty ? "nothing" : titles.joined(separator: ", "))"
      } + followed.map { "\($0.label): \($0.text)" })
  }

  /// What a subscription watches, when it fires and what its message contains; `nil` for a query without one.
  fileprivate func subscriptionItem(beside others: ArraySlice<QueryRehearsalResult>) -> [ListItem] {
    guard let subscription = query.subscription, needsSchema == nil else { return [] }
    let isRefused =
      !subscriptionProblems.isEmpty || query.query.collision(with: others.map(\.query.query)) != nil
      || isTypeMissing || schemaProblems.contains { $0.isRefusal && $0.isOfFilter }
    let filters = query.subscribedFilters.joined(separator: " and ")
    let keys = subscription.desiredKeys.joined(separator: ", ")
    let words =
      "\(query.recordType)\(filters.isEmpty ? "" : " where \(filters)"), fires on \(subscription.words), "
      + (keys.isEmpty ? "a message has no field" : "a message has \(keys)")
    return [ListItem(isRefused ? .bad : .good, "\(name), subscription  \(words, .dim)")]
  }
}

extension FollowedReferences {
  fileprivate var json: JSONValue {
    [
      "recordName": recordName.json, "label": label.json, "field": field.json, "named": named.json,
      "found": JSONValue(named - missing.count), "missing": missing.json,
    ]
  }
}
