import CloudKitModel
import ContainerFaults
import Foundation
import Synchronization

/// What goes wrong during a run, at one of its requests to write records.
enum Trouble: Sendable {
  case none
  case refuseAll
  /// Refuses every record whose name has one of these endings.
  case refuseSome(Set<Character>)
  case loseRequest(Int)
  case loseReply(Int)
  /// The request is carried out, and every record has an error nevertheless.
  case failAfterward(Int)
  case busy(Int)
  /// Another client writes just before the request.
  case write(Int, [RecordOperation], as: String)
  /// The process ends before the request; so many bytes of the last line of the history are missing.
  case killBefore(Int, torn: Int)
  /// The process ends when the container has carried out the request.
  case killAfter(Int)

  var isNone: Bool { if case .none = self { true } else { false } }
}

/// The way of one run to the container, with its trouble.
final class RunConnection: Sendable {
  private struct State {
    var requests = 0
    var isDead = false
    var files: StateFiles?
  }

  let container: FaultyContainer
  private let stateFolder: String
  private let state = Box()

  private final class Box: Sendable { let value = Mutex(State()) }

  var isDead: Bool { state.value.withLock(\.isDead) }

  /// - Parameters:
  ///   - base: logs what is carried out.
  ///   - other: another client's connection.
  ///   - maxOperations: larger requests to write are refused as too large.
  init(
    _ base: LoggedContainer, other: LoggedContainer, _ trouble: Trouble, maxOperations: Int,
    stateFolder: String
  ) {
    self.stateFolder = stateFolder
    let state = state
    container = FaultyContainer(base) { request in
      if state.value.withLock(\.isDead) {
        return .refuse(ContainerFailure(.unreachable, "the process has ended"))
      }
      guard case .modify(let operations) = request, operations.first?.recordType != "AdminLease" else {
        return nil
      }
      if operations.count > maxOperations {
        return .refuse(ContainerFailure(.tooLarge, "too many operations"))
      }
      let number = state.value.withLock {
        $0.requests += 1
        return $0.requests
      }
      func die(torn: Int) throws {
        let files = try StateFiles(stateFolder, torn: torn)
        state.value.withLock {
          $0.isDead = true
          $0.files = files
        }
      }
      switch trouble {
      case .none, .refuseSome: return nil
      case .refuseAll: return .eachRecord(ServerError(.accessDenied, "WRITE not permitted"))
      case .loseRequest(number): return .loseRequest
      case .loseReply(number): return .loseReply
      case .failAfterward(number): return .eachRecordAfter(ServerError(.internalError, "failed"))
      case .busy(number): return .refuse(ContainerFailure(.unavailable(retryAfter: nil), "busy"))
      case .write(number, let operations, _):
        _ = try await other.modify(operations)
        return nil
      case .killBefore(number, let torn):
        try die(torn: torn)
        return .refuse(CancellationError())
      case .killAfter(number):
        let files = try StateFiles(stateFolder, torn: 0)
        return .after {
          state.value.withLock {
            $0.isDead = true
            $0.files = files
          }
          throw CancellationError()
        }
      default: return nil
      }
    }
  }

  /// Gives the files of the state folder the content that they had when the process ended.
  func end() throws { try state.value.withLock(\.files)?.restore(stateFolder) }
}

/// The files of a state folder at one moment.
struct StateFiles: Sendable {
  private var contents: [String: Data] = [:]

  /// - Parameter torn: bytes that the last line of the newest run lacks; none when that is not one whole line.
  init(_ folder: String, torn: Int) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let path = "\(folder)/\(name)"
      if (try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeRegular
      {
        contents[name] = try Data(contentsOf: URL(filePath: path))
      }
    }
    guard torn > 0, let newest = contents.keys.filter({ $0.hasPrefix("history/") }).max(),
      let content = contents[newest]
    else { return }
    let lastLine = content.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { content.count - $0 - 1 } ?? 0
    contents[newest] = content.dropLast(min(torn, lastLine))
  }

  func restore(_ folder: String) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let path = "\(folder)/\(name)"
      guard
        (try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeRegular
      else { continue }
      guard let content = contents[name] else {
        try FileManager.default.removeItem(atPath: path)
        continue
      }
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: content)
      try file.close()
    }
  }
}
