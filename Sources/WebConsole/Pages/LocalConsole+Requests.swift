internal import CloudKitEmulator
internal import HTMLWriting

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
