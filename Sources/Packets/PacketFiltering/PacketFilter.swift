import ByteParsing
import PacketParsing
import Values

/// A packet filter (`--filter`): a valid expression in tcpdump's language.
///
/// Hosts, ports and protocols are never looked up, and no socket is opened.
public struct PacketFilter: Hashable, Sendable {
  /// The expression as given.
  public let text: String

  let expression: FilterExpression

  /// Parses an expression. Throws if it is not valid for any link type.
  public init(_ text: String) throws(PacketFilterError) {
    self.text = text
    let expression = try FilterExpression(text)
    self.expression = expression
    var reason: PacketFilterError?
    // Some tests are valid only for some link types.
    for type in [1, 12, 113, 105] as [Int32] {
      do throws(PacketFilterError) {
        _ = try FilterProgram(expression, dataLinkType: type)
        return
      } catch {
        reason = reason ?? error
      }
    }
    if let reason { throw reason }
  }
}

extension PacketFilter {
  /// Whether the expression may test ports, which not every IP fragment contains: by name or, as in `tcp[2:2]`, by offset.
  package var mayTestPorts: Bool { hasWord(beginningWith: ["port"]) || text.contains("[") }

  /// Whether the expression tests something before the IP header; libpcap compiles some of these for any packet.
  fileprivate var namesLinkHeaders: Bool {
    hasWord(beginningWith: ["ether", "link", "wlan", "vlan", "mpls", "ppp", "fddi", "tr", "slip", "type", "dir"])
  }

  private func hasWord(beginningWith beginnings: [String]) -> Bool {
    text.split(whereSeparator: { !$0.isLetter }).contains { word in
      beginnings.contains { word.hasPrefix($0) }
    }
  }
}

/// Applies a filter to packets, with one program per link type.
package struct PacketMatcher {
  private let filter: PacketFilter
  private var programs: [UInt16: FilterProgram?] = [:]

  /// The program for IP packets without a link header, once it was needed; it contains nil if the filter tests link headers.
  private var networkProgram: FilterProgram??

  /// Link types that the filter does not support, each with the reason. Their packets do not match.
  package private(set) var refusals: [UInt16: PacketFilterError] = [:]

  package init(_ filter: PacketFilter) { self.filter = filter }

  /// Whether a packet matches. If it has Apple's PKTAP header, the inner packet counts.
  package mutating func matches(_ packet: Span<UInt8>, linkType: UInt16, originalLength: Int) -> Bool {
    if LinkType(rawValue: linkType) == .pktap || LinkType(rawValue: linkType) == .user2 {
      if let header = PKTAPLayout(packet.raw, at: 0), header.holdsPacket, header.length <= packet.count {
        guard let program = program(for: header.linkType) else { return false }
        return program.matches(packet.extracting(header.length..<packet.count), originalLength: max(0, originalLength - header.length))
      }
    }
    return program(for: linkType)?.matches(packet, originalLength: originalLength) ?? false
  }

  /// Whether an IP packet after headers that libpcap does not read matches; nil if the filter tests those headers.
  package mutating func matches(networkPacket packet: Span<UInt8>, originalLength: Int) -> Bool? {
    let program: FilterProgram?
    if let networkProgram {
      program = networkProgram
    } else {
      program = filter.namesLinkHeaders ? nil : try? FilterProgram(filter.expression, dataLinkType: LinkType.raw.dataLinkType)
      networkProgram = .some(program)
    }
    return program?.matches(packet, originalLength: originalLength)
  }

  private mutating func program(for linkType: UInt16) -> FilterProgram? {
    programs[linkType] ?? compile(linkType)
  }

  private mutating func compile(_ linkType: UInt16) -> FilterProgram? {
    var program: FilterProgram?
    do throws(PacketFilterError) {
      program = try FilterProgram(filter.expression, dataLinkType: LinkType(rawValue: linkType).dataLinkType)
    } catch {
      refusals[linkType] = error
    }
    programs[linkType] = program
    return program
  }
}

/// The reason why a filter expression cannot be used.
public struct PacketFilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, as a clause.
  public let description: String

  init(_ description: String) { self.description = description }
}
