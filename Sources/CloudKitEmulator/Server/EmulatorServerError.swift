package import Diagnostics
internal import NIOCore
internal import Platform

package enum EmulatorServerError: Error, Sendable, Hashable, CustomStringConvertible {
  case cannotListen(String)
  case portTaken(Int)
  /// The system reserves the port, as those below 1024.
  case portReserved(Int)
  case reachableByOthers(String)
  case mayBeReal(container: String)

  package var description: String {
    switch self {
    case .cannotListen(let host): "the server could not listen on \(host)"
    case .portTaken(let port): "port \(port) is taken"
    case .portReserved(let port): "this user may not listen on port \(port)"
    case .reachableByOthers(let host):
      "\(host) is not this machine's own address: other machines could reach the emulator"
    case .mayBeReal(let container): "\(container) may be a real container"
    }
  }
}

extension EmulatorServerError: CommandFailureConvertible {
  package var failure: CommandFailure {
    switch self {
    case .mayBeReal:
      CommandFailure(
        description, code: "real-container",
        hint: "Name it iCloud.demo.…, or give the id with --container if it is meant.")
    case .portTaken(let port):
      CommandFailure(
        description, code: "port-taken",
        hint:
          "Perhaps another emulator or console uses it: 'lsof -i :\(port)' names the program. Or choose another port."
      )
    case .portReserved:
      CommandFailure(description, code: "port-reserved", hint: "Choose a port from 1024 up.")
    case .cannotListen, .reachableByOthers: CommandFailure(description)
    }
  }

  /// What the system says about the port, in words; any other error as it is.
  static func explaining(
    _ error: any Error, port: Int
  ) -> any Error {
    switch (error as? IOError).map({ SystemError(code: $0.errnoCode) }) {
    case .addressInUse: Self.portTaken(port)
    case .permissionDenied: Self.portReserved(port)
    default: error
    }
  }
}
