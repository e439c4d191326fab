internal import CloudKitEmulator
internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import Reporting

enum ConsoleForm: String, Sendable, CaseIterable { case faults, snapshot, reset }

extension LocalConsole {
  private static let maxFaults = 50

  func forms() -> HTML {
    let faults = monitor.map(faultsForm) ?? ""
    let snapshot: HTML =
      options.stateFolder == nil
      ? ""
      : form(
        .snapshot, button: "Save a snapshot",
        """
        <h2>Snapshot</h2>
        <p>Saves a copy of the whole container, both environments.</p>
        <label for="name">Name: letters, digits, hyphens, underscores and dots</label>\
        <input type="text" id="name" name="name" required>

        """)
    return snapshot + faults
  }

  func resetForm() -> HTML {
    form(
      .reset, button: "Delete all records",
      """
      <p>Deletes every record of \(store.name) in \(options.environment.rawValue). The schema stays. Nothing restores \
      them but a snapshot.</p>
      <label><input type="checkbox" name="acceptRisk"\(attribute: "value", DeletionLoss.risk) required> Delete all records in \
      \(options.environment.rawValue), with the risk <code>\(DeletionLoss.risk)</code></label>

      """)
  }

  private func faultsForm(_ monitor: EmulatorActivity) -> HTML {
    let faults = monitor.faults
    let rows = faults.map { fault in
      "<li><code>\(fault.rule.text)</code>: \(counted(fault.seen, "request")) matched, \(counted(fault.done, "fault")) injected</li>\n"
        as HTML
    }
    let current: HTML = rows.isEmpty ? "<p>No faults are set.</p>\n" : "<ul>\n\(rows.joined())</ul>\n"
    let lines = faults.map { "\($0.rule.text as String)" as HTML }.joined(separator: "\n")
    return form(
      .faults, button: "Replace the faults",
      """
      <h2>Faults</h2>
      \(current)<label for="rules">Rules, one a line, as <code>status,status=503,every=3</code>. An empty field removes all. \
      The counts begin again.</label>
      <textarea id="rules" name="rules" rows="4">
      \(lines)</textarea>

      """)
  }

  private func form(_ form: ConsoleForm, button: String, _ content: HTML) -> HTML {
    """
    <form\(attribute: "class", form == .reset ? "panel danger" : "panel") method="post"\(action(form.rawValue))>
    <input type="hidden" name="secret"\(attribute: "value", callers.formSecret)>
    \(content)<button>\(button)</button>
    </form>

    """
  }

  func submit(_ form: ConsoleForm, _ values: FormValues) async throws -> HTML {
    switch form {
    case .faults: try replaceFaults(values["rules"] ?? "")
    case .snapshot: try await saveSnapshot(named: values["name"] ?? "")
    case .reset: try await reset(acceptedRisks: Set(values.all("acceptRisk")))
    }
  }

  private func replaceFaults(_ text: String) throws -> HTML {
    guard let monitor else {
      throw CommandFailure("Faults cannot be set, because no emulator runs with this console.")
    }
    let lines = text.split { $0.isNewline }.map(\.trimmingWhitespace).filter { !$0.isEmpty }
    guard lines.count <= Self.maxFaults else {
      throw CommandFailure("There may be at most \(Self.maxFaults) rules.")
    }
    let rules = try lines.map { line in
      do { return try FaultRule(parsing: line) } catch { throw CommandFailure("\(line): \(error)") }
    }
    monitor.replaceFaults(rules)
    return "<p>\(counted(rules.count, "fault")) set. <a\(link("forms"))>Back</a></p>\n"
  }

  private func saveSnapshot(named name: String) async throws -> HTML {
    guard let folder = options.stateFolder else {
      throw CommandFailure("This console has no folder to save snapshots in.")
    }
    let isPlain = name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0) }
    guard !name.isEmpty, name.utf8.count <= 64, isPlain, !name.hasPrefix(".") else {
      throw CommandFailure(
        "A snapshot's name has 1 to 64 letters, digits, hyphens, underscores and dots, and begins with no dot."
      )
    }
    let snapshots = try StateFolder.open(folder, making: true).folder("snapshots")
    let path = "\(snapshots.path)/\(name).sqlite"
    guard try !snapshots.contains("\(name).sqlite") else { throw CommandFailure("\(path) already exists.") }
    try await store.backup(to: path)
    return """
      <p>Saved as <code>\(path)</code>. To go back to it:</p>
      <pre>celestra-admin container restore \(path.shellWord) --container \(store.name.shellWord)</pre>
      <p><a\(link("forms"))>Back</a></p>

      """
  }

  private func reset(acceptedRisks: Set<String>) async throws -> HTML {
    guard DeletionLoss.permanent.risks(in: options.environment).isSubset(of: acceptedRisks) else {
      throw CommandFailure("Nothing was deleted: the box to confirm the deletion was not checked.")
    }
    let count = try await store.removeAllRecords(in: options.environment)
    return
      "<p>\(counted(count, "record")) deleted. The schema stays. <a\(link())>Back to the container</a></p>\n"
  }
}
