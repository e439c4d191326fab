package import CloudKitModel
internal import GRDB
internal import Platform

/// The files of a mirror's assets. They are in the mirror's file itself, each once, by checksum.
extension MirrorFile {
  /// The next records of a type of whose files the mirror lacks some, in the order of their ids.
  func recordsWithoutFiles(
    _ type: MirroredType, after id: Int64, limit: Int
  ) async throws -> [(id: Int64, name: String)] {
    try await records(type, after: id, limit: limit) { table in
      Self.references(table).map {
        "id IN (SELECT id FROM (\($0)) WHERE checksum NOT IN (SELECT checksum FROM _mirror_asset))"
      }
    }
  }

  /// Those of the assets whose files the mirror lacks, each once.
  func withoutFiles(_ assets: [Asset]) async throws -> [Asset] {
    try await write { db, _ in
      var seen: Set<String> = []
      return try assets.filter { asset in
        let sql = "SELECT 1 FROM _mirror_asset WHERE checksum = ?"
        return try seen.insert(asset.fileChecksum).inserted
          && !db.has(sql, [.text(asset.fileChecksum)])
      }
    }
  }

  func put(_ bytes: [UInt8], of asset: Asset) async throws {
    try await write { db, _ in
      try db.run(
        "INSERT OR REPLACE INTO _mirror_asset VALUES (?, ?)", [.text(asset.fileChecksum), .blob(bytes)])
    }
  }

  /// Deletes the files that no record refers to any more.
  ///
  /// - Returns: the bytes of those that are left.
  @discardableResult
  func deleteUnusedFiles() async throws -> Int64 {
    try await write { db, layout in
      guard try db.has("SELECT 1 FROM _mirror_asset LIMIT 1") else { return 0 }
      let used = layout.typeTables.compactMap(Self.references).map { "SELECT checksum FROM (\($0))" }
      let condition = used.isEmpty ? "1" : "checksum NOT IN (\(used.joined(separator: " UNION ")))"
      try db.run("DELETE FROM _mirror_asset WHERE \(condition)")
      return try db.number("SELECT total(length(bytes)) FROM _mirror_asset")
    }
  }

  func missingFiles(_ type: MirroredType) async throws -> Int {
    try await write { db, layout in
      guard let references = Self.references(try Self.table(type.name, layout)) else { return 0 }
      let sql = """
        SELECT count(DISTINCT checksum) FROM (\(references))
        WHERE checksum NOT IN (SELECT checksum FROM _mirror_asset)
        """
      return Int(try db.number(sql))
    }
  }

  /// A query for the row ids and the checksums of a type's assets; `nil` for a type without assets.
  private static func references(_ table: RecordTypeTable) -> String? {
    let columns = table.columns.filter { $0.type.element == .asset }
    guard table.isStored, !columns.isEmpty else { return nil }
    return columns.map { column in
      if case .list = column.type {
        return """
          SELECT _id AS id, json_extract(e.value, '$.fileChecksum') AS checksum
          FROM \(table.sql), json_each(\(column.sql)) e
          """
      }
      return """
        SELECT _id AS id, json_extract(\(column.sql), '$.fileChecksum') AS checksum FROM \(table.sql)
        WHERE \(column.sql) IS NOT NULL
        """
    }.joined(separator: " UNION ALL ")
  }
}

package struct AssetFetching: Sendable {
  package var maxBytes: Int64
  /// Called with the number of files that this run fetched.
  package var progress: @Sendable (Int) -> Void
  /// The bytes of a file, with the size and the checksum that its asset states. Throws `AssetProblem`, and
  /// `ContainerFailure` if nothing answers.
  package var fetch: @Sendable (Asset) async throws -> [UInt8]

  package init(
    maxBytes: Int64, progress: @escaping @Sendable (Int) -> Void = { _ in },
    fetch: @escaping @Sendable (Asset) async throws -> [UInt8]
  ) {
    self.maxBytes = maxBytes
    self.progress = progress
    self.fetch = fetch
  }
}

package struct MirroredFiles: Sendable {
  package struct Problem: Sendable {
    package let recordType: String
    package let recordName: String
    package let reason: String
  }

  package var fetched = 0
  /// Of the files that were fetched.
  package var bytes: Int64 = 0
  /// Different files that records refer to and the mirror lacks.
  package var missing = 0
  package var problems: [Problem] = []
  /// Why the run stopped fetching; `nil` if it tried all files.
  package var interruption: String?
}

/// Fetches the files of assets that a mirror lacks. Each is stored when it is there, so that a run that is stopped is
/// continued by the next one.
struct MirrorAssetRun {
  private static let maxProblems = 10
  /// After this number of files without an answer, one after the other, no further one is asked for.
  private static let maxUnanswered = 8
  /// The files that are fetched at once: their number and their bytes together. A larger file is fetched alone.
  private static let pool = OrderedTaskPool(width: 8, maxWeight: 16 << 20)

  private enum Outcome: Sendable {
    case stored
    case unusable(String)
    case unanswered(ContainerFailure)
  }

  private let source: any Container
  private let file: MirrorFile
  private let fetching: AssetFetching
  private(set) var result = MirroredFiles()
  private var room: Int64 = 0
  private var unanswered = 0

  init(_ source: any Container, _ file: MirrorFile, _ fetching: AssetFetching) {
    (self.source, self.file, self.fetching) = (source, file, fetching)
  }

  mutating func run(_ types: [MirroredType]) async throws {
    room = fetching.maxBytes - (try await file.deleteUnusedFiles())
    for type in types where result.interruption == nil {
      do { try await fetch(type) } catch let failure as ContainerFailure where !failure.isOfFile {
        result.interruption = failure.message
      } catch let refusal as ServerError {
        result.interruption = refusal.reason
      }
    }
    for type in types { result.missing += try await file.missingFiles(type) }
  }

  private mutating func fetch(_ type: MirroredType) async throws {
    var last: Int64 = -1
    while true {
      let wanting = try await file.recordsWithoutFiles(
        type, after: last, limit: ContainerLimits.recordsPerRequest)
      guard let end = wanting.last else { return }
      last = end.id
      // The addresses of files expire, so the records are asked for new ones.
      var owners: [String: String] = [:]
      var assets: [Asset] = []
      for outcome in try await source.lookupAll(wanting.map(\.name)) {
        guard let record = try outcome.found, record.recordType == type.name else { continue }
        for asset in record.fields.values.flatMap(\.assets) {
          owners[asset.fileChecksum] = record.recordName
          assets.append(asset)
        }
      }
      try await fetch(file.withoutFiles(assets), of: owners, type)
    }
  }

  private mutating func fetch(
    _ assets: [Asset], of owners: [String: String], _ type: MirroredType
  ) async throws {
    var fitting: [Asset] = []
    for asset in assets {
      if (0...room).contains(asset.size) {
        room -= asset.size
        fitting.append(asset)
      } else {
        note("all files together would have more than \(fetching.maxBytes) bytes", asset, owners, type)
      }
    }
    try await Self.pool.run(
      fitting, weight: { Int(clamping: $0.size) },
      { [file, fetching] asset -> (Asset, Outcome) in
        do {
          try await file.put(fetching.fetch(asset), of: asset)
          return (asset, .stored)
        } catch let problem as AssetProblem {
          return (asset, .unusable(problem.reason))
        } catch let failure as ContainerFailure where !failure.isOfFile {
          return (asset, .unanswered(failure))
        }
      },
      take: { asset, outcome in
        switch outcome {
        case .stored:
          result.fetched += 1
          result.bytes += asset.size
          fetching.progress(result.fetched)
          unanswered = 0
        case .unusable(let reason):
          note(reason, asset, owners, type)
          unanswered = 0
        case .unanswered(let failure):
          note(failure.message, asset, owners, type)
          unanswered += 1
          if unanswered == Self.maxUnanswered { throw failure }
        }
      })
  }

  private mutating func note(
    _ reason: String, _ asset: Asset, _ owners: [String: String], _ type: MirroredType
  ) {
    guard result.problems.count < Self.maxProblems else { return }
    result.problems.append(
      MirroredFiles.Problem(
        recordType: type.name, recordName: owners[asset.fileChecksum] ?? "", reason: reason))
  }
}
