/// Messages of which those of one kind become one, with a count.
///
/// Messages are of one kind if they differ in the name before the first colon and in numbers alone.
package enum RepeatedMessages {
  /// How many of a kind are listed one by one.
  private static let maximumCount = 8

  /// The messages in their order; of a kind with more than eight, the first with how many more there are.
  package static func grouped(_ messages: [String]) -> [String] {
    guard messages.count > maximumCount else { return messages }
    let kinds = messages.map(kind)
    var counts: [Substring: Int] = [:]
    for kind in kinds { counts[kind, default: 0] += 1 }
    var reported: Set<Substring> = []
    var grouped: [String] = []
    for (message, kind) in zip(messages, kinds) {
      guard let count = counts[kind], count > maximumCount else {
        grouped.append(message)
        continue
      }
      if reported.insert(kind).inserted {
        grouped.append("\(message) (and \(Wording.grouped(count - 1)) more like this)")
      }
    }
    return grouped
  }

  private static func kind(_ message: String) -> Substring {
    var text = message[...]
    // The part before the colon is the name.
    for index in message.utf8.indices where message.utf8[index] == 0x3A {
      let next = message.utf8.index(after: index)
      guard next < message.endIndex, message.utf8[next] == 0x20 else { continue }
      text = message[next...]
      break
    }
    return text.filter { !$0.isNumber && $0 != "," }[...]
  }
}
