internal import LibXML2Shim

/// Makes ``MarkupEvent`` values of the calls of libxml2's parsers. What the receiver skips does not reach it.
final class MarkupRelay {
  /// - Parameter tag: how many start tags came before that of the element, skipped ones included; 0 for a text.
  typealias Receiver = (_ event: MarkupEvent, _ tag: Int) -> XMLElementDecision

  private var text: ElementTextBuffer
  private let maxText: Int
  private let receive: Receiver
  /// The open elements that are read, with the numbers of their start tags.
  private var open: [(name: String, number: Int)] = []
  private var tags = 0
  /// Open elements, from the one that is skipped inwards.
  private var skipped = 0

  /// - Parameter maxText: bytes of one text; the rest is dropped.
  init(maxText: Int, _ receive: @escaping Receiver) {
    text = ElementTextBuffer(limit: maxText)
    text.setMode(.plain)
    self.maxText = maxText
    self.receive = receive
  }

  var xmlHandlers: XMLHandlers {
    XMLHandlers(
      context: Unmanaged.passUnretained(self).toOpaque(), text: text, code: { _, _ in 0 },
      start: { context, tag in
        let element = XMLElement(tag)
        let goesOn = relay(context)?.start(element.localName, list(element)) ?? false
        return (goesOn ? XMLElementDecision.read : .stop).code
      },
      end: { context in relay(context)?.end() })
  }

  var htmlHandlers: html_shim_handlers {
    html_shim_handlers(
      user: Unmanaged.passUnretained(self).toOpaque(),
      start: { user, name, attributes in
        relay(user)?.start(String(cString: name).lowercased(), list(attributes)) ?? false
      },
      end: { relay($0)?.end() },
      text: { relay($0)?.add(UnsafeBufferPointer(start: $1, count: $2)) })
  }

  /// Returns false to read nothing more.
  private func start(_ name: String, _ attributes: @autoclosure () -> [MarkupAttribute]) -> Bool {
    let number = tags
    tags += 1
    guard skipped == 0 else {
      skipped += 1
      return true
    }
    flush()
    switch receive(.start(name: name, attributes: attributes()), number) {
    case .read: open.append((name, number))
    // The tags inside are counted, as the repair of XML counts them.
    case .skip: skipped = 1
    case .stop: return false
    }
    return true
  }

  private func end() {
    guard skipped == 0 else {
      skipped -= 1
      if skipped == 0 { text.restart(at: 0, limit: maxText) }
      return
    }
    flush()
    if let (name, number) = open.popLast() { _ = receive(.end(name: name), number) }
  }

  private func add(_ bytes: UnsafeBufferPointer<UInt8>) { text.append(bytes) }

  func flush() {
    guard skipped == 0, text.count > 0 else { return }
    let piece = text.bytes.text
    text.restart(at: 0, limit: maxText)
    _ = receive(.text(piece), 0)
  }
}

// Free functions, because a C function pointer cannot be made from a closure that captures anything.

private func relay(_ context: UnsafeMutableRawPointer?) -> MarkupRelay? {
  context.map { Unmanaged<MarkupRelay>.fromOpaque($0).takeUnretainedValue() }
}

private func list(_ element: XMLElement) -> [MarkupAttribute] {
  var list: [MarkupAttribute] = []
  element.attributes.forEach { list.append(MarkupAttribute($0, $1)) }
  return list
}

private func list(_ raw: UnsafePointer<UnsafePointer<UInt8>?>?) -> [MarkupAttribute] {
  var list: [MarkupAttribute] = []
  guard var next = raw else { return list }
  while let name = next[0] {
    let value = next[1].map { start in
      var count = 0
      while start[count] != 0 { count += 1 }
      return UnsafeBufferPointer(start: start, count: count).trimmed.text
    }
    list.append(MarkupAttribute(String(cString: name).lowercased(), value ?? ""))
    next += 2
  }
  return list
}
