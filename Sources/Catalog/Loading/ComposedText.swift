// Foundation, not FoundationEssentials: only the former normalizes text.
internal import Foundation

extension String {
  /// The text in Unicode normalization form C. The service compares code points, so the same letters must always be
  /// written with the same ones.
  public var composed: String {
    // Text without bytes from 0xCC on has no combining marks or other characters that form C changes.
    utf8.contains { $0 >= 0xCC } ? precomposedStringWithCanonicalMapping : self
  }

  /// The letters without their marks: `Café` is `Cafe`.
  var withoutAccents: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
    let marks = decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return String(String.UnicodeScalarView(marks)).precomposedStringWithCanonicalMapping
  }
}
