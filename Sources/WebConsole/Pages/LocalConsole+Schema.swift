internal import CloudKitEmulator
internal import Diagnostics
internal import LocalContainer
internal import Reporting
internal import SchemaLanguage

extension LocalConsole {
  /// The types with what they refer to, their fields, and who may do what with them.
  func schema() async throws -> HTML {
    let parsed = try await store.schema(of: options.environment).parsed
    let privateTypes = try options.privateTypes(parsed.schema)
    let types = parsed.recordTypes.map(\.recordType)
    let links = parsed.relations()
    let listed = links.map { link in
      "<li><code>\(link.type).\(link.field)</code> refers to <code>\(link.target)</code></li>\n" as HTML
    }
    let references: HTML = listed.isEmpty ? "" : "<ul>\n\(listed.joined())</ul>\n"
    return """
      \(ConsoleSchemaDiagram(types.map(\.name).filter { $0 != SystemNames.users }, links).html)\(references)\(types.map { section($0, privateTypes) }.joined())

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

/// Draws a schema: record types as boxes and references as arrows. A type is to the right of those it refers to.
struct ConsoleSchemaDiagram {
  private struct Box {
    let name: String
    var column: Int
    var row: Int

    var x: Int { 10 + column * (ConsoleSchemaDiagram.width + 90) }
    var y: Int { 10 + row * (ConsoleSchemaDiagram.height + 22) }
  }

  private static let (width, height) = (190, 38)
  private let boxes: [Box]
  private let links: [FieldRelation]

  init(_ names: [String], _ links: [FieldRelation]) {
    self.links = links.filter { $0.type != $0.target && names.contains($0.type) && names.contains($0.target) }
    let columns = Self.columns(self.links)
    var rows: [Int: Int] = [:]
    boxes = names.map { name in
      let column = columns[name] ?? 0
      defer { rows[column, default: 0] += 1 }
      return Box(name: name, column: column, row: rows[column] ?? 0)
    }
  }

  /// The last column: longer chains of references, and circles, end there.
  private static let lastColumn = 3

  /// The length of the longest chain of references from each type that has one, at most ``lastColumn``.
  private static func columns(_ links: [FieldRelation]) -> [String: Int] {
    var columns: [String: Int] = [:]
    // Each round makes every chain longer by at least one.
    for _ in 0..<lastColumn {
      for link in links {
        columns[link.type] = max(columns[link.type] ?? 0, min(lastColumn, (columns[link.target] ?? 0) + 1))
      }
    }
    return columns
  }

  var html: HTML {
    guard !boxes.isEmpty else { return "" }
    let width = (boxes.map(\.x).max() ?? 0) + Self.width + 10
    let height = (boxes.map(\.y).max() ?? 0) + Self.height + 10
    return """
      <svg class="diagram"\(attribute: "viewBox", "0 0 \(width) \(height)")\(attribute: "width", "\(width)")\(attribute: "height", "\(height)") \
      role="img" aria-label="The record types and what they refer to; the list below says the same.">
      \(links.map(arrow).joined())\(boxes.map(shape).joined())</svg>

      """
  }

  private func shape(_ box: Box) -> HTML {
    let name = box.name.count > 24 ? String(box.name.prefix(23)) + "…" : box.name
    return """
      <rect x="\(box.x)" y="\(box.y)" width="\(Self.width)" height="\(Self.height)" rx="6" fill="none" stroke="#57606a"/>\
      <text x="\(box.x + 10)" y="\(box.y + 24)">\(name)</text>

      """
  }

  private func arrow(_ link: FieldRelation) -> HTML {
    guard let from = boxes.first(where: { $0.name == link.type }),
      let to = boxes.first(where: { $0.name == link.target })
    else { return "" }
    let (startX, startY) = (from.x, from.y + Self.height / 2)
    let (endX, endY) = (to.x + Self.width, to.y + Self.height / 2)
    let curve = "M\(startX) \(startY)C\(startX - 45) \(startY) \(endX + 45) \(endY) \(endX + 8) \(endY)"
    let head = "M\(endX) \(endY)l9 -4v8z"
    return """
      <path fill="none" stroke="#57606a"\(attribute: "d", curve)/><path class="head" fill="#57606a"\(attribute: "d", head)/>

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
