import Platform
import Testing

@Suite struct StandardStreamTests {
  @Test("a stream is a terminal when the system says so, and only a terminal has a width")
  func terminals() {
    for (stream, descriptor) in [
      (StandardStream.input, STDIN_FILENO), (.output, STDOUT_FILENO), (.errors, STDERR_FILENO),
    ] {
      #expect(stream.isTerminal == (isatty(descriptor) != 0))
      #expect(stream.isTerminal || stream.terminalWidth == nil)
    }
  }
}
