internal import SystemPackage

/// A standard stream of this process.
public enum StandardStream: Sendable {
  case input, output, errors

  private var descriptor: FileDescriptor {
    switch self {
    case .input: .standardInput
    case .output: .standardOutput
    case .errors: .standardError
    }
  }

  public var isTerminal: Bool { isatty(descriptor.rawValue) == 1 }

  /// The terminal's width in columns; `nil` if unknown.
  public var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  public func write(_ text: String) throws(SystemError) {
    do {
      _ = try descriptor.writeAll(text.utf8)
    } catch let error as Errno {
      throw SystemError(code: error.rawValue)
    } catch {
      throw SystemError.latest
    }
  }
}
