import Testing

@testable import WebConsole

@Suite struct FormValuesTests {
  @Test(arguments: [
    ("a=1&b=2", "a", "1"), ("a=%3Cb%3E", "a", "<b>"), ("a=x+y", "a", "x y"), ("a=%2B", "a", "+"),
    ("a=%", "a", "%"),
    ("a=%zz", "a", "%zz"), ("a=%+1", "a", "% 1"), ("a=%FF", "a", "\u{FFFD}"), ("a", "a", ""),
    ("a==", "a", "="),
    ("%61=1", "a", "1"), ("a+b=1", "a b", "1"), ("a=%412", "a", "A2"), ("a=%41+b", "a", "A b"),
    ("a=%4", "a", "%4"),
    ("a=%41", "a", "A"), ("a=%-0", "a", "%-0"), ("a=%FG", "a", "%FG"), ("a=%ff", "a", "\u{FFFD}"),
    ("a=%F0%9F%8F%BB", "a", "\u{1F3FB}"),
  ])
  func values(_ text: String, _ name: String, _ value: String) {
    #expect(FormValues(text)[name] == value)
  }
}
