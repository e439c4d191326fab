import Catalog
import CloudKitModel
import Diagnostics
import Foundation
import LocalContainer
import Platform
import RecordChanges
import SchemaLanguage

/// An invariant that does not hold.
struct ModelViolation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A container, its seeds, its history and the people who use them, in one random sequence of steps.
final class CatalogWorld {
  /// The container as the tool sees it: ``local`` itself, or a client of an emulator that serves it.
  let container: any Container
  let local: LocalContainer
  private let emulator: ServedContainer?
  let log: WriteLog
  let schema: Schema
  let folder: String
  var random: SeededGenerator
  /// What happened, for a sequence that fails.
  private(set) var steps: [String] = []
  var catalog = SeedCatalog()
  /// The seeds that were applied completely last, the base of a pull.
  var applied: SeedCatalog?
  /// The files know what was written up to this tick, so a later edit of the files replaces it on purpose.
  var seenTick = 0
  /// The runs of people that may be undone, oldest first.
  var runs: [String] = []
  var backups: [String] = []
  /// How often an invariant was compared with something, by its letter.
  var checks: [String: Int] = [:]
  private var number = 0

  init(seed: UInt64, schema text: String, isServed: Bool) async throws {
    random = SeededGenerator(seed: seed)
    schema = try Schema(parsing: text)
    folder = FileManager.default.temporaryDirectory.appending(path: "model-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    local = try LocalContainer.open(.memory)
    try await local.importSchema(text)
    log = WriteLog(local)
    emulator = isServed ? try await ServedContainer(local) : nil
    container = emulator?.client ?? local
  }

  func remove() async throws {
    await emulator?.stop()
    try FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Chance

  /// A number that no other call returns.
  func next() -> Int {
    number += 1
    return number
  }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
  func index(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  func say(_ step: String) { steps.append("\(steps.count + 1). \(step)") }

  func require(_ invariant: String, _ holds: Bool, _ explanation: @autoclosure () -> String) throws {
    checks[invariant, default: 0] += 1
    if !holds { throw ModelViolation("(\(invariant)) \(explanation())") }
  }

  // MARK: The tool

  var stateFolder: String { "\(folder)/state" }
  var now: Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + Int64(number) * 1000) }

  var history: RunHistory {
    get throws { try RunHistory(in: try StateFolder.open(stateFolder, making: true)) }
  }

  func environment(_ run: String) -> WriteSessionDependencies {
    let (now, folder) = (now, stateFolder)
    return WriteSessionDependencies(
      now: { now }, runID: run, schema: schema,
      stateFolder: { try StateFolder.open(folder, making: true) }, wait: { _ in })
  }

  func session(_ command: String, as run: String, through connection: RunConnection) -> WriteSession {
    WriteSession(
      WritingJob(command, lease: .seed), container: connection.container, dependencies: environment(run))
  }

  func connection(for run: String, _ trouble: Trouble, maxOperations: Int) -> RunConnection {
    var refuses: @Sendable (RecordOperation) -> Bool = { _ in false }
    if case .refuseSome(let endings) = trouble {
      refuses = { $0.recordType != "AdminLease" && endings.contains($0.recordName?.last ?? " ") }
    }
    var writer = "nobody"
    if case .write(_, _, let name) = trouble { writer = name }
    return RunConnection(
      LoggedContainer(container, log, writer: run, refuses: refuses), other: client(writer), trouble,
      maxOperations: maxOperations, stateFolder: stateFolder)
  }

  /// Another client with the rights of an editor.
  func client(_ name: String) -> LoggedContainer {
    LoggedContainer(
      LocalContainer(
        store: local.store, identity: CallerIdentity(userRecordName: "_\(name)", customRoles: .all)),
      log, writer: name)
  }

  // MARK: Records

  func records(_ type: String) -> [Record] {
    log.records.values.filter { $0.recordType == type }.sorted { $0.recordName < $1.recordName }
  }

  /// The number of subscriptions by the name of the feed that they are for.
  var readers: [String: Int] {
    records("FeedSubscription").reduce(into: [:]) { $0[$1["feedRecordName"]?.string ?? "", default: 0] += 1 }
  }
}

extension CatalogWorld {
  func container(of user: String) -> LocalContainer {
    LocalContainer(store: local.store, identity: CallerIdentity(userRecordName: user))
  }
}
