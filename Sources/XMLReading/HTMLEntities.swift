internal import LibXML2Shim

/// The named characters of HTML 4, which XML documents use without declaring them, from libxml2's table; among them XML's
/// own five.
enum HTMLEntities {
  static let table: [String: EntityText] = Dictionary(
    uniqueKeysWithValues: (firstCode...lastCode).compactMap { code in
      xml_shim_html_entity(code).flatMap { name in
        Unicode.Scalar(code).map { (String(cString: name), EntityText(String(Character($0)))) }
      }
    })

  /// The codes of `quot` and `diams`.
  private static let (firstCode, lastCode): (UInt32, UInt32) = (34, 9830)
}
