import ByteParsing
import DNSParsing
package import SessionModel
package import Values

/// The names that the capture has given to addresses so far.
package struct NameTable {
  /// Addresses whose names are kept at least: many times those that one machine meets in a day.
  static let maximumAddressCount = 32_768

  /// Names kept of one address, the latest.
  static let maximumNameCount = 8

  private var names = RecentTable<[IPAddress: [NameHint]]>(maximumCount: maximumAddressCount)

  /// Whether no address has a name.
  var isEmpty: Bool { names.isEmpty }

  /// The table itself where it holds names: nil, which costs nothing to pass on, where it has none, as almost always.
  package var unlessEmpty: NameTable? { isEmpty ? nil : self }

  /// Names of addresses that were forgotten for others.
  package var forgotten: UInt64 { names.evicted }

  /// Records a name; one that is known keeps the packet that gave it first.
  mutating func learn(_ name: String, of address: IPAddress, from source: NameHint.Source, frame: UInt64?) {
    var hints = names[address] ?? []
    guard !name.isEmpty, !hints.contains(where: { $0.name == name }) else { return }
    if hints.count >= NameTable.maximumNameCount { hints.removeFirst() }
    hints.append(NameHint(name: name, source: source, frame: frame))
    names.insert(hints, for: address)
  }

  /// Records what a message of DNS answers; any bytes may be given.
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
    // Nearly always all of them.
    return hints.allSatisfy { ($0.frame ?? 0) < frame } ? hints : hints.filter { ($0.frame ?? 0) < frame }
  }

  /// Creates an empty table.
  package init() {}
}
