package import ByteParsing
package import SessionModel
package import Values

/// The negotiation between a client and a SOCKS proxy (RFC 1928, RFC 1929; SOCKS 4 and 4a according to their memos).
///
/// A class: few connections begin with SOCKS, and the others should not reserve memory for it.
package final class SOCKSNegotiation {
  /// The progress of the negotiation.
  package enum State {
    /// The endpoints are negotiating.
    case negotiating
    /// Further bytes are for the target.
    case open
    /// The proxy refused, the request is not a CONNECT, or the protocol is not SOCKS.
    case failed
  }

  package let foreignProtocol: ForeignProtocol

  package private(set) var state = State.negotiating

  /// The target as the client wrote it, a name or an address as text; nil until the client's request is complete.
  private(set) var target: (host: String, port: UInt16)?

  package let clientDirection: Direction

  /// The bytes after the proxy's reply.
  private var following = WaitingBytes()

  /// Whether to wait for the proxy's reply, because the connection's start was not captured and the bytes may not be SOCKS at all.
  private let needsReply: Bool

  /// Whether the capture lacks the client's greeting, and perhaps the proxy's responses to it.
  private let lacksGreeting: Bool

  private var client = Side()
  private var server = Side()

  /// The bytes of one endpoint, and the offset at which its part of the negotiation ends.
  private struct Side {
    var bytes = Bytes()
    var end: Int?

    /// The number of bytes after them that the capture lacks.
    var gap = 0

    /// Runs at some offsets, in ascending order; all other bytes count as `.other`.
    var runs: [(start: Int, run: ByteAccount.Run)] = []

    mutating func takeRest() -> Bytes {
      guard let end, end < bytes.count else { return [] }
      defer { bytes.removeSubrange(end...) }
      return Bytes(bytes[end...])
    }

    /// The number of bytes that have arrived from an offset on.
    func count(from start: Int) -> Int { max(0, bytes.count - start) }

    /// A greeting with every method, a name and a password of 255 bytes, and a request for the longest host are shorter.
    var isWithinLimit: Bool { bytes.count <= 2048 }
  }

  /// Creates a negotiation that has read nothing yet.
  package init(_ foreignProtocol: ForeignProtocol, clientDirection: Direction, needsReply: Bool = false, lacksGreeting: Bool = false) {
    self.foreignProtocol = foreignProtocol
    self.clientDirection = clientDirection
    self.needsReply = needsReply
    self.lacksGreeting = lacksGreeting
  }

  /// Reads on in one direction.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference) {
    let isClient = direction == clientDirection
    guard state == .negotiating || !isClient && awaitsReply else { return }
    if !isClient, hasReply { return following.add(piece, at: reference) }
    if isClient { client.bytes.append(copying: piece) } else { server.bytes.append(copying: piece) }
    do throws(ParseError) {
      if isClient { try readClient() } else { try readServer() }
    } catch {
      if case .truncated = error.reason, client.isWithinLimit, server.isWithinLimit { return }
      // If the client has continued, bytes that are not a reply follow one that the capture lacks.
      guard state == .open else {
        state = .failed
        return
      }
      server.end = server.bytes.count - piece.count
    }
    if !isClient { following.add(server.takeRest().span, at: reference) }
    guard let end = client.end else { return }
    // A client that continues has had a response, which may be out of order in the capture or lost.
    if server.end != nil {
      state = .open
    } else if client.bytes.count > end {
      state = needsReply ? .failed : .open
    }
  }

  /// Records bytes that the capture lacks in one direction.
  package func skip(missing count: Int, in direction: Direction) {
    if needsReply {
      state = .failed
    } else if direction == clientDirection {
      // The rest of the negotiation may be missing. If it is not, it begins no protocol that is read in a tunnel.
      client.end = client.end ?? client.bytes.count
      state = .open
    } else if hasReply {
      following.lose(count)
    } else {
      // The proxy's reply matters less, because the client continues only after a positive one.
      server.end = server.bytes.count
      server.gap += count
    }
  }

  /// Whether the client continued before the proxy's reply in the capture.
  package var awaitsReply: Bool { state == .open && !hasReply }

  /// The runs of one direction's negotiation; empty while its end is unknown.
  package func runs(of direction: Direction) -> [ByteAccount.Run] {
    let side = direction == clientDirection ? client : server
    guard let end = side.end else { return [] }
    var runs: [ByteAccount.Run] = []
    var position = 0
    for (start, run) in side.runs where start >= position && start + run.count <= end {
      runs += [.other(start - position), run]
      position = start + run.count
    }
    return runs + [.other(end - position), .content(side.gap)]
  }

  /// The number of bytes that one endpoint sent, including those after the negotiation.
  package func byteCount(in direction: Direction) -> Int {
    let side = direction == clientDirection ? client : server
    return side.bytes.count + side.gap + (direction == clientDirection ? 0 : following.byteCount)
  }

  package var clientBytes: Bytes { client.bytes }

  /// Whether the end of the proxy's reply is known.
  package var hasReply: Bool { server.end != nil }

  package var heldBytes: Int { client.bytes.count + server.bytes.count + following.heldBytes }

  /// The layer around a session.
  var tunnel: EnclosingLayer {
    let layer = foreignProtocol.tunnel(port: 0)
    return target.map { EnclosingLayer("\(layer.text) \(Endpoint.text($0.host, $0.port))") } ?? layer
  }

  /// Removes and returns the bytes that the client has sent after the negotiation.
  package func takeClientRest() -> Bytes { client.takeRest() }

  /// Removes and returns the bytes that the server has sent after the negotiation, and the number of bytes after them that are missing or
  /// not kept.
  package func takeFollowing() -> (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int) { following.take() }

  private func readClient() throws(ParseError) {
    guard client.end == nil else { return }
    let bytes = client.bytes
    var reader = ByteReader(bytes.span)
    if foreignProtocol == .socks5 { try readRequest5(&reader) } else { try readRequest4(&reader) }
    client.end = reader.offset
  }

  private func readServer() throws(ParseError) {
    guard server.end == nil else { return }
    let bytes = server.bytes
    var reader = ByteReader(bytes.span)
    if foreignProtocol == .socks5 { try readReply5(&reader) } else { try readReply4(&reader) }
    server.end = reader.offset
  }

  /// Parses the offered methods, name and password if present, and the request.
  private func readRequest5(_ reader: inout ByteReader) throws(ParseError) {
    client.runs = []
    if !lacksGreeting {
      _ = try reader.readUInt8("VER")
      _ = try reader.readVector("METHODS", 0...255)
    }
    var version = try reader.readUInt8("VER")
    if version == 1 {
      // A length byte precedes each. The capture may lack the end of either.
      let name = reader.offset + 1
      client.runs = [(name, .secret(client.count(from: name)))]
      _ = try reader.readVector("UNAME", 0...255)
      let password = reader.offset + 1
      client.runs = [(name, .secret(password - 1 - name)), (password, .secret(client.count(from: password)))]
      _ = try reader.readVector("PASSWD", 0...255)
      client.runs[1].run = .secret(reader.offset - password)
      version = try reader.readUInt8("VER")
    }
    let command = try reader.readUInt8("CMD")
    _ = try reader.readUInt8("RSV")
    guard version == 5, command == 1 else { throw ParseError(.unexpectedValue(UInt64(command)), in: "CMD", at: reader.offset) }
    let isText = client.count(from: reader.offset) > 0 && client.bytes[reader.offset] == 3
    let start = reader.offset + (isText ? 2 : 1)
    client.runs.append((start, .content(client.count(from: start))))
    let host = try readAddress(&reader)
    client.runs.removeLast()
    if IPAddress(host) != nil {
      client.runs.append((start, .address(reader.offset - start, isText: isText)))
    }
    target = (host, try reader.readUInt16("DST.PORT"))
  }

  private func readRequest4(_ reader: inout ByteReader) throws(ParseError) {
    _ = try reader.readUInt16("VN, CD")
    let port = try reader.readUInt16("DSTPORT")
    let address = IPAddress(v4: try reader.readUInt32("DSTIP"))
    let user = reader.offset
    client.runs = foreignProtocol == .socks4 ? [(4, .address(4, isText: false))] : []
    client.runs.append((user, .secret(client.count(from: user))))
    _ = try readText(&reader)
    client.runs[client.runs.count - 1].run = .secret(reader.offset - 1 - user)
    let host = foreignProtocol == .socks4a ? InputText.string(decoding: try readText(&reader)) : address.description
    target = (host, port)
  }

  /// Parses the chosen method, the response to name and password if present, and the reply.
  private func readReply5(_ reader: inout ByteReader) throws(ParseError) {
    if try hasMethod(reader) { try readMethod(&reader) }
    let version = try reader.readUInt8("VER")
    let reply = try reader.readUInt8("REP")
    guard version == 5, reply == 0 else { throw ParseError(.unexpectedValue(UInt64(reply)), in: "REP", at: reader.offset) }
    _ = try reader.readUInt8("RSV")
    let start = reader.offset
    _ = try readAddress(&reader)
    let isText = server.bytes[start] == 3
    server.runs = [(start + (isText ? 2 : 1), .content(reader.offset - start - (isText ? 2 : 1)))]
    _ = try reader.readUInt16("BND.PORT")
  }

  /// Whether the server's bytes begin with the response to the greeting, rather than with the reply, whose third byte is zero.
  private func hasMethod(_ reader: ByteReader) throws(ParseError) -> Bool {
    guard lacksGreeting else { return true }
    var reader = reader
    _ = try reader.readUInt16("VER, METHOD")
    return try reader.readUInt8("RSV") != 0
  }

  private func readMethod(_ reader: inout ByteReader) throws(ParseError) {
    let chosen = try reader.readUInt8("VER")
    let method = try reader.readUInt8("METHOD")
    // Other methods than "no authentication" and "user name and password" have their own formats.
    guard chosen == 5, method == 0 || method == 2 else {
      throw ParseError(.unexpectedValue(UInt64(method)), in: "METHOD", at: reader.offset)
    }
    if method == 2 { _ = try reader.readUInt16("VER, STATUS") }
  }

  private func readReply4(_ reader: inout ByteReader) throws(ParseError) {
    let version = try reader.readUInt8("VN")
    let reply = try reader.readUInt8("CD")
    guard version == 0, reply == 90 else { throw ParseError(.unexpectedValue(UInt64(reply)), in: "CD", at: reader.offset) }
    server.runs = [(reader.offset, .content(6))]
    _ = try reader.readBody(byteCount: 6, "DSTPORT, DSTIP")
  }

  private func readAddress(_ reader: inout ByteReader) throws(ParseError) -> String {
    switch try reader.readUInt8("ATYP") {
    case 1:
      return IPAddress(v4: try reader.readUInt32("DST.ADDR")).description
    case 3:
      var name = try reader.readVector("DST.ADDR", 0...255)
      return InputText.string(decoding: name.readRest())
    case 4:
      let high = try reader.readUInt64("DST.ADDR")
      return IPAddress(v6: high, try reader.readUInt64("DST.ADDR")).description
    case let type:
      throw ParseError(.unexpectedValue(UInt64(type)), in: "ATYP", at: reader.offset)
    }
  }

  /// Parses text that ends with a zero byte.
  private func readText(_ reader: inout ByteReader) throws(ParseError) -> Bytes {
    var text = Bytes()
    while true {
      let byte = try reader.readUInt8("USERID")
      if byte == 0 { return text }
      text.append(byte)
    }
  }
}
