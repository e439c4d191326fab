import Foundation

/// A rollback journal that makes SQLite delete a file when it opens the database beside it ("Database File Format",
/// section 3, and "Atomic Commit", section 5).
package enum HotJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// - Parameters:
  ///   - path: of the database; its journal is written beside it.
  ///   - superJournal: the file that SQLite deletes.
  package static func write(beside path: String, naming superJournal: String) throws {
    let database = try Data(contentsOf: URL(filePath: path))
    let stored = Int(database[16]) << 8 | Int(database[17])
    let pageSize = stored == 1 ? 65_536 : stored
    let name = Array(superJournal.utf8)
    var bytes = magic
    // No records, no salt, the size of the database in pages, the sizes of a sector and of a page.
    for number in [0, 0, database.count / pageSize, 512, pageSize] { bytes += bigEndian(number) }
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    // The page of the lock byte, which no database stores.
    bytes += bigEndian(0x4000_0000 / pageSize + 1) + name
    bytes += bigEndian(name.count) + bigEndian(name.reduce(0) { $0 + Int($1) }) + magic
    try Data(bytes).write(to: URL(filePath: path + "-journal"))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)
  }
}
