internal import CloudKitModel
internal import Diagnostics

extension RunRecord {
  /// Reads a run's file. A last line that was cut off belongs to a request that was never sent, and is left out.
  ///
  /// Throws ``FileFormError`` when the file is damaged or of a newer version.
  init(parsing bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = try FileForm.parse(lines[0])
    try Self.form.check(head)
    var reader = RunFileReader(run: try RunRecord(json: head))
    for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      do {
        reader.read(try RunFileLine(json: FileForm.parse(line)))
      } catch let error as FileFormError {
        // The last line has no end only if it was cut off.
        if number == lines.count - 1 { break }
        throw FileFormError("line \(number + 1) is damaged: \(error)")
      }
    }
    self = reader.run
  }
}

/// Collects the lines of a run's file after its header.
private struct RunFileReader {
  var run: RunRecord
  private var places: [String: Int] = [:]
  /// What the run has written to a record so far: it may write a record twice.
  private var written: [String: RunRecord.Entry] = [:]

  init(run: RunRecord) { self.run = run }

  mutating func read(_ line: RunFileLine) {
    for change in line.intends ?? [] { put(RunRecord.Entry(change: change)) }
    for entry in line.sending ?? [] { put(entry) }
    for settled in line.settled ?? [] { settle(settled) }
    if line.intends?.isEmpty == false { run.knowsGoal = true }
    if line.sending != nil { run.withheldUnknown = line.withheld ?? .init() }
    if line.settled != nil {
      run.withheldUnknown = RunRecord.Counts()
      run.withheld += line.withheld ?? .init()
    }
    if let moment = line.ended {
      run.ended = moment
      run.jobCounts = line.counts
      // A run that ended intends nothing else. An import of a schema intends no records.
      run.knowsGoal = true
    }
  }

  private mutating func put(_ entry: RunRecord.Entry) {
    let name = entry.change.recordName
    let entry = written[name].map { $0.followed(by: entry) } ?? entry
    if let place = places[name] {
      run.entries[place] = entry
    } else {
      places[name] = run.entries.count
      run.entries.append(entry)
    }
  }

  private mutating func settle(_ settled: RunFileLine.Settled) {
    let name = settled.recordName
    guard let place = places[name] else { return }
    var entry = run.entries[place]
    (entry.outcome, entry.tagAfter) = (settled.outcome, settled.changeTag)
    if entry.outcome == .written { written[name] = entry }
    // A second change that was not written leaves what the first one wrote.
    run.entries[place] = entry.outcome.mayStand ? entry : written[name] ?? entry
  }
}

extension RunRecord.Entry {
  /// The two changes of one record by one run as one: from the values before the first to those of the second.
  fileprivate func followed(by next: RunRecord.Entry) -> RunRecord.Entry {
    guard change.action != .delete, next.change.action == .update else { return next }
    var both = next
    both.change.action = change.action
    both.change.fields = change.fields.merging(next.change.fields) {
      FieldChange(from: $0.from, to: $1.to)
    }
    return both
  }
}
