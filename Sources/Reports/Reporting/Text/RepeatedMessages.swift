/// Groups repeated messages of one kind into one message with a count.
///
/// Messages are of one kind if they differ only in numbers and in the name before the first colon.
package enum RepeatedMessages {
  /// The maximum number of messages of a kind that are listed separately.
  private static let maximumCount = 8

  /// Returns the messages in their order; of a kind with more than eight, only the first with the number of the others.
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
