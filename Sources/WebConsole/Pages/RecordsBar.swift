internal import CloudKitModel
internal import HTMLWriting
internal import SchemaLanguage

/// The line above a table of records: how many there are, the filters, and what unfolds: a form for another filter with
/// the values of short lists, and the choice of columns.
struct RecordsBar {
  let console: LocalConsole
  let asked: AskedRecords
  let fields: [Field]
  let columns: RecordColumns
  let facets: RecordFacets

  var html: HTML {
    let count: HTML = facets.records.map { "<span>\($0) record\($0 == 1 ? "" : "s")</span>\n" } ?? ""
    return "<div class=\"bar\">\n\(count)\(chips)\(filter)\(chooser)</div>\n"
  }

  private func address(_ query: [(String, String)]) -> HTML {
    console.link("records", asked.type, query: query)
  }

  private var chips: HTML {
    asked.filters.enumerated().map { index, filter in
      var others = asked.filters
      others.remove(at: index)
      return
        "<a class=\"chip\"\(address(asked.query(filters: others)))\(attribute: "aria-label", "Remove the filter \(filter)")>\(filter) ×</a>\n"
        as HTML
    }.joined()
  }

  private func form(_ kind: HTML, keeping query: [(String, String)], _ content: HTML) -> HTML {
    let kept = query.map { name, value in
      "<input type=\"hidden\"\(attribute: "name", name)\(attribute: "value", value)>" as HTML
    }
    return
      "<form\(kind) method=\"get\"\(console.action("records", asked.type))>\(kept.joined())\n\(content)</form>\n"
  }

  private var filter: HTML {
    let own = fields.filter { !$0.name.hasPrefix("___") }
    let names = own + fields.filter { $0.name.hasPrefix("___") && !$0.indexes.isEmpty }
    func group(_ label: HTML, isIndexed: Bool) -> HTML {
      let options = names.filter { $0.indexes.isEmpty != isIndexed }.map { Self.option($0.name) }
      return options.isEmpty ? "" : "<optgroup label=\"\(label)\">\(options.joined())</optgroup>"
    }
    let symbols = Comparator.symbols.filter { $0.text != "=" }
    let words = Comparator.allCases.filter { comparator in !symbols.contains { $0.comparator == comparator } }
    let operators = (symbols.map(\.text) + words.map(\.rawValue)).map(Self.option).joined()
    let values = facets.fields.flatMap { field in
      field.values.map { value in
        "<option\(attribute: "value", value.value)\(attribute: "label", "\(field.name): \(value.name)")>"
          as HTML
      }
    }
    let content: HTML = """
      <label>Field <select name="field">\(group("Indexed", isIndexed: true))\
      \(group("Not indexed: CloudKit refuses", isIndexed: false))</select></label>
      <label>Operator <select name="op">\(operators)</select></label>
      <label>Value <input type="text" name="value" list="values" required></label>
      <datalist id="values">\(values.joined())</datalist>
      <button>Add filter</button>

      """
    return """
      <details><summary>Filter</summary>
      \(form(" class=\"line\"", keeping: asked.query(), content))<p class="soft">All filters must hold. A time may count from now, as <code>-30d</code>; IN takes values with commas.</p>
      \(facetLists)</details>

      """
  }

  private static func option(_ value: String) -> HTML { "<option>\(value)</option>" }

  private var facetLists: HTML {
    let lists = facets.fields.map { field, values in
      let rows = values.map { value in
        "<li><a\(address(asked.query(filters: asked.filters + ["\(field) == \(value.value)"])))><bdi>\(value.name)</bdi></a> <small>\(value.records)</small></li>\n"
          as HTML
      }
      return "<div><strong>\(field)</strong><ul>\n\(rows.joined())</ul></div>\n" as HTML
    }
    return lists.isEmpty ? "" : "<div class=\"facets\">\n\(lists.joined())</div>\n"
  }

  /// The columns to choose from. When none is chosen, the console chooses.
  private var chooser: HTML {
    let choices = columns.available.sorted().map { name -> HTML in
      let state: HTML = columns.shown.contains(name) ? " checked" : ""
      return
        "<label><input type=\"checkbox\" name=\"column\"\(attribute: "value", name)\(state)> \(name)</label>\n"
    }
    guard !choices.isEmpty else { return "" }
    let content: HTML = """
      <fieldset><legend>Fields beside \(columns.title ?? "the record name")</legend>
      \(choices.joined())</fieldset>
      <button>Show</button>

      """
    return """
      <details><summary>Columns (\(columns.shown.count) of \(choices.count))</summary>
      \(form("", keeping: asked.query(columns: []), content))</details>

      """
  }
}
