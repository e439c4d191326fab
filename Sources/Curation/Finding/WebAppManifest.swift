internal import Diagnostics
internal import HTTPTransport

/// Finds the icon in a web app manifest, the JSON file with which a site describes itself as an app.
enum WebAppManifest {
  /// The minimum side in pixels.
  private static let minSide = 180

  /// The address of the largest icon for any purpose; `nil` when the manifest has none that is large enough, or cannot
  /// be read.
  ///
  /// - Parameter url: the manifest's own, after redirects: its icons are relative to it.
  static func icon(in manifest: [UInt8], url: String) -> String? {
    guard let json = try? JSONValue(parsing: manifest), case .array(let icons)? = json["icons"] else {
      return nil
    }
    let usable = icons.compactMap { icon -> (href: String, side: Int)? in
      guard let href = icon["src"]?.string, isForAnyPurpose(icon["purpose"]?.string),
        let side = IconSizes.max(in: icon["sizes"]?.string ?? ""), side >= minSide
      else { return nil }
      return (href, side)
    }
    // Of icons with the same size, use the first.
    let best = usable.enumerated().max { ($0.element.side, $1.offset) < ($1.element.side, $0.offset) }
    return best.flatMap { URLParts($0.element.href, relativeTo: url)?.text }
  }

  private static func isForAnyPurpose(_ purpose: String?) -> Bool {
    guard let purpose else { return true }
    return purpose.lowercased().split(whereSeparator: \.isWhitespace).contains("any")
  }
}

/// The value of a `sizes` attribute, such as `32x32 180x180`.
enum IconSizes {
  /// The largest of the shorter sides in pixels; `nil` for `any` and invalid values.
  static func max(in text: String) -> Int? {
    text.lowercased().split(whereSeparator: \.isWhitespace).compactMap { size in
      let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      return sides.count == 2 ? sides[0].flatMap { width in sides[1].map { min(width, $0) } } : nil
    }.max()
  }
}
