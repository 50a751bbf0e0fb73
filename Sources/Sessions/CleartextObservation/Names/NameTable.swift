import ByteParsing
import DNSParsing
package import SessionModel
package import Values

/// The names of addresses that the capture has shown so far.
package struct NameTable {
  /// The minimum number of addresses whose names are kept: many times those that one machine contacts in a day.
  static let minimumAddressCount = 32_768

  /// The maximum number of names kept for one address; the oldest are dropped.
  static let maximumNameCount = 8

  private var names = RecentTable<[IPAddress: [NameHint]]>(entriesPerGeneration: minimumAddressCount)

  var isEmpty: Bool { names.isEmpty }

  /// The table; nil if it is empty, as it almost always is. Passing nil on costs nothing.
  package var unlessEmpty: NameTable? { isEmpty ? nil : self }

  /// The number of addresses evicted.
  package var forgotten: UInt64 { names.evicted }

  /// Records a name. A known name keeps the packet that first contained it.
  mutating func learn(_ name: String, of address: IPAddress, from source: NameHint.Source, frame: UInt64?) {
    var hints = names[address] ?? []
    guard !name.isEmpty, !hints.contains(where: { $0.name == name }) else { return }
    if hints.count >= NameTable.maximumNameCount { hints.removeFirst() }
    hints.append(NameHint(name: name, source: source, frame: frame))
    names.insert(hints, for: address)
  }

  /// Records the names in a DNS response; the bytes need not be one.
  package mutating func learn(from message: Span<UInt8>, frame: UInt64) {
    guard message.count > DNSMessage.headerByteCount, message[2] & 0x80 != 0,
      let message = try? DNSMessage(parsing: message)
    else { return }
    for named in message.namedAddresses {
      learn(InputText.string(decoding: named.name.text), of: named.address, from: .dns, frame: frame)
    }
  }

  /// The names that an address had before a packet.
  package func hints(for address: IPAddress, before frame: UInt64) -> [NameHint] {
    let hints = names[address] ?? []
    // Nearly always, all of them qualify.
    return hints.allSatisfy { ($0.frame ?? 0) < frame } ? hints : hints.filter { ($0.frame ?? 0) < frame }
  }

  package init() {}
}
