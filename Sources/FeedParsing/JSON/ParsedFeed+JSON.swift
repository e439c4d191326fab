package import Diagnostics

extension ParsedFeed {
  /// Writes the object that `feed inspect` prints for one input, without absent values, on one line, part by part, so that
  /// a large feed's output is never in memory as a whole.
  ///
  /// - Parameter more: further members, about how the feed was reached.
  package func writeJSON(
    input: String, beside more: JSONObject, to write: (String) throws -> Void
  ) rethrows {
    try write(String(JSONValue.object(head(input: input, beside: more)).text().dropLast()) + ",\"items\":[")
    for (index, item) in items.enumerated() {
      try write((index == 0 ? "" : ",") + item.json.text())
    }
    try write("],\"diagnostics\":" + JSONValue.array(diagnostics.map(\.json)).text() + "}")
  }

  private func head(input: String, beside more: JSONObject) -> JSONObject {
    var object = JSONObject()
    object["input"] = .string(input)
    object["format"] = .string(format.rawValue)
    object["wellFormed"] = .bool(wellFormed)
    object["recovered"] = .bool(recovered)
    object["encoding"] = .string(encoding)
    object["title"] = title.map(JSONValue.string)
    object["siteURL"] = siteURL.map(JSONValue.string)
    object["feedURL"] = feedURL.map(JSONValue.string)
    object["description"] = description.map(JSONValue.string)
    object["language"] = language.map(JSONValue.string)
    object["imageURL"] = imageURL.map(JSONValue.string)
    object["ttlSeconds"] = ttl.map { .integer($0.components.seconds) }
    object["updated"] = updated.map { .string($0.iso8601) }
    object["newFeedURL"] = newFeedURL.map(JSONValue.string)
    if isExpired { object["expired"] = true }
    for (key, value) in more.members { object[key] = value }
    return object
  }
}

extension FeedItem {
  package var json: JSONValue {
    var object = JSONObject()
    object["id"] = .string(id)
    object["title"] = title.map(JSONValue.string)
    object["url"] = url.map(JSONValue.string)
    object["published"] = published.map { .string($0.iso8601) }
    object["updated"] = updated.map { .string($0.iso8601) }
    object["author"] = author.map(JSONValue.string)
    object["summary"] = summary.map(JSONValue.string)
    object["contentLength"] = JSONValue(contentLength)
    return .object(object)
  }
}
