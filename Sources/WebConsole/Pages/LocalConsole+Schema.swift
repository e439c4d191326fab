internal import CloudKitEmulator
internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer
internal import SchemaLanguage

extension LocalConsole {
  /// The types with what they refer to, their fields, and who may do what with them.
  func schema() async throws -> HTML {
    let parsed = try await store.schema(of: options.environment).parsed
    let privateTypes = try options.privateTypes(parsed.schema)
    let listed = parsed.relations().map { link in
      "<li><code>\(link.type).\(link.field)</code> refers to <code>\(link.target)</code></li>\n" as HTML
    }
    let references: HTML = listed.isEmpty ? "" : "<ul>\n\(listed.joined())</ul>\n"
    return """
      \(references)\(parsed.recordTypes.map { section($0.recordType, privateTypes) }.joined())

      """
  }

  private func section(_ type: RecordType, _ privateTypes: Set<String>) -> HTML {
    let rows = type.fields.map { field -> HTML in
      let indexes = field.indexes.map(\.rawValue).joined(separator: ", ")
      return "<tr><th scope=\"row\">\(field.name)</th><td>\("\(field.type)")</td><td>\(indexes)</td></tr>\n"
    }
    return """
      <h2\(id: type.name)><a\(link("records", type.name))>\(type.name)</a></h2>
      <p>\(type.grantWords(privateTypes))</p>
      <table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Indexes</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }
}

extension LocalConsole {
  /// The last requests of the emulator, the newest first, with what the service would not say about a refusal.
  func requests(_ values: FormValues) -> HTML {
    let onlyRefused = values["refused"] != nil
    let entries = (monitor?.requests ?? []).filter { !onlyRefused || $0.status >= 400 }
    let filter: HTML =
      onlyRefused
      ? "<p>Only refused requests. <a\(link("requests"))>Show all</a></p>\n"
      : "<p><a\(link("requests", query: [("refused", "yes")]))>Show only refused requests</a></p>\n"
    guard !entries.isEmpty else { return filter + "<p>No request yet.</p>\n" }
    return """
      \(filter)<div class="wide" role="region" tabindex="0" aria-label="Requests">
      <table class="stack"><caption>The last \(EmulatorActivity.maxRequests) requests at most. Queries and bodies \
      are not kept. \(ConsoleParts.timeZone)</caption>
      <thead><tr><th scope="col">Time</th><th scope="col">Request</th><th scope="col">Status</th>\
      <th scope="col" class="number">Milliseconds</th><th scope="col">Why</th></tr></thead>
      <tbody>
      \(entries.map(row).joined())</tbody></table>
      </div>

      """
  }

  private func row(_ entry: EmulatorActivity.Entry) -> HTML {
    let status: HTML =
      entry.status >= 400 ? "<span class=\"failed\">\(entry.status) refused</span>" : "\(entry.status)"
    return """
      <tr><td>\(ConsoleParts.time(entry.time))</td><td>\(entry.method) <bdi>\(entry.path)</bdi></td><td>\(status)</td>\
      <td class="number" data-h="Milliseconds">\(entry.milliseconds)</td><td>\(entry.explanation ?? "")</td></tr>

      """
  }
}
