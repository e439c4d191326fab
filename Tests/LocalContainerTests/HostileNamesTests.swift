import CloudKitModel
import Foundation
import GRDB
import SchemaLanguage
import Testing

@testable import LocalContainer

/// Names become part of SQL. To Swift, a quote with a combining mark after it or a prepended mark before it is one
/// character that is not a quote; SQLite reads bytes.
@Suite("Names never become SQL") struct HostileNamesTests {
  static let joinedQuotes = ["\"\u{301}", "\u{600}\""]

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body(folder.path)
  }

  /// A statement that would write a file of its own after the identifier that `quote` ends.
  private func injection(_ quote: String, _ folder: String, after ending: String) -> String {
    "a\(quote)\(ending); ATTACH DATABASE '\(folder)/own.db' AS own; CREATE TABLE own.t (x); --"
  }

  @Test("every quote byte of an identifier is doubled", arguments: joinedQuotes)
  func quoted(_ quote: String) throws {
    let quoted = "a\(quote)b".quoted
    #expect(quoted.utf8.count { $0 == UInt8(ascii: "\"") } == 4)
    let name = try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE \(quoted) (x)")
      return try String.fetchOne(db, sql: "SELECT name FROM sqlite_master")
    }
    #expect(name.map { Array($0.unicodeScalars) } == Array("a\(quote)b".unicodeScalars))
  }

  @Test(
    "a just-in-time schema takes no type or field that a schema could not declare", arguments: joinedQuotes)
  func growth(_ quote: String) async throws {
    var behavior = ServerBehavior()
    behavior.justInTimeSchema = true
    try await inFolder { folder in
      let settings = fixedSettings(behavior)
      let library = try LocalContainer.open(.file(folder + "/c"), settings: settings)
      try await library.importSchema(librarySchema)
      let schema = try await library.exportSchema()
      for name in [injection(quote, folder, after: " TEXT)"), "a\(quote)", "", "a b", "colour\u{301}", "a.b"]
      {
        let field = try await library.create("b", [name: .string("x")])
        #expect(field.error?.code == .badRequest, "the field \(name)")
        let type = try await library.create("c", ["name": .string("x")], type: name)
        #expect(type.error?.code == .badRequest, "the type \(name)")
      }
      #expect(try await library.exportSchema() == schema)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("own.db") == false)
    }
  }

  @Test(
    "a container file whose schema has a name that no schema can have is refused before its SQL is built",
    arguments: [
      "UPDATE _type SET tableName = ? WHERE name = 'Book'", "UPDATE _type SET name = ? WHERE name = 'Book'",
      "UPDATE _field SET columnName = ? WHERE name = 'title'",
      "UPDATE _field SET name = ? WHERE name = 'title'", "UPDATE _role SET name = ?",
      "UPDATE _grant SET role = ? WHERE role = 'Librarian'",
    ])
  func hostileFile(_ change: String) async throws {
    for quote in Self.joinedQuotes {
      try await inFolder { folder in
        let path = folder + "/c"
        try await LocalContainer.open(.file(path), settings: fixedSettings()).importSchema(librarySchema)
        let hostile = injection(quote, folder, after: " ADD COLUMN zz")
        try await DatabaseQueue(path: path).write { try $0.execute(sql: change, arguments: [hostile]) }
        await #expect { try await LocalContainer.open(.file(path)).importSchema("DEFINE SCHEMA") } throws: {
          guard let failure = $0 as? ContainerFailure else { return false }
          return failure.message.contains("is damaged: its schema has") && !failure.message.contains("ATTACH")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("own.db") == false)
      }
    }
  }

  @Test(
    "a stored table or column belongs to its own type or field",
    arguments: [
      "UPDATE _type SET tableName = '_user' WHERE name = 'Book'",
      "UPDATE _type SET tableName = 'Book.x' WHERE name = 'Book'",
      "UPDATE _type SET tableName = 'Book.' WHERE name = 'Book'",
      "UPDATE _field SET columnName = '_id' WHERE name = 'title'",
    ])
  func borrowedNames(_ change: String) async throws {
    try await inFolder { folder in
      let path = folder + "/c"
      try await LocalContainer.open(.file(path), settings: fixedSettings()).importSchema(librarySchema)
      try await DatabaseQueue(path: path).write { try $0.execute(sql: change) }
      await #expect { try await LocalContainer.open(.file(path)).exportSchema() } throws: {
        ($0 as? ContainerFailure)?.message.contains("whose name does not match") == true
      }
    }
  }

  @Test("a definition is one statement")
  func oneStatement() async throws {
    let store = try LocalStore(.memory, settings: fixedSettings())
    await #expect(throws: DatabaseError.self) {
      try await store.database.write { try $0.define("CREATE TABLE one (x); CREATE TABLE two (x)") }
    }
  }

  @Test("a container's connections attach nothing, keep SQLite's own tables and trust no file's schema")
  func hardened() async throws {
    try await inFolder { folder in
      let path = folder + "/c"
      try await LocalContainer.open(.file(path), settings: fixedSettings()).importSchema(librarySchema)
      for location in [LocalStore.Location.memory, .file(path)] {
        let store = try LocalStore(location, settings: fixedSettings())
        let database = store.database
        // A backup needs one attached database while it is written.
        try await store.backup(to: "\(folder)/backup-of-\(location == .memory ? "memory" : "file")")
        for sql in ["ATTACH DATABASE '\(folder)/own.db' AS own", "VACUUM INTO '\(folder)/own.db'"] {
          await #expect(throws: DatabaseError.self, "\(sql)") {
            try await database.writeWithoutTransaction { try $0.execute(sql: sql) }
          }
        }
        await #expect(throws: DatabaseError.self) {
          try await database.write { db in
            try db.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_master")
          }
        }
        for reader in [database.read, database.write]
          as [(@Sendable (Database) throws -> Int?) async throws -> Int?]
        {
          #expect(try await reader { try Int.fetchOne($0, sql: "PRAGMA trusted_schema") } == 0)
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("own.db") == false)
    }
  }
}
