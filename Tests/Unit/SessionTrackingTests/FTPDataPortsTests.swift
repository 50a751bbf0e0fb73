import ByteParsing
import SeededRandom
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import SessionLinking
@testable import CleartextObservation
@testable import SessionTracking

/// FTP data connections: the ports that control connections announce in cleartext, and the links to those connections.
@Suite struct FTPDataPortsTests {
  typealias Announcement = FTPDataPorts.Announcement

  @Test(
    arguments: [
      ("227 Entering Passive Mode (203,0,113,7,7,208).\r\n", 2000, true),
      ("227 Entering Passive Mode 203,0,113,7,7,208\r\n", 2000, true),
      ("227 =203,0,113,7,255,255\n", 65535, true),
      ("227 In 5 minutes (203,0,113,7,7,208)\r\n", 2000, true),
      ("229 Entering Extended Passive Mode (|||6446|)\r\n", 6446, true),
      ("229 ok (!!!6446!)\r\n", 6446, true),
      ("PORT 192,0,2,2,7,209\r\n", 2001, false), ("port 192,0,2,2,7,209\r\n", 2001, false),
      ("EPRT |1|192.0.2.2|6275|\r\n", 6275, false), ("EPRT |2|2001:db8::2|5282|\r\n", 5282, false),
    ] as [(String, UInt16, Bool)])
  func `announced ports are read in every format`(line: String, port: UInt16, isByServer: Bool) {
    let wanted = [Announcement(port: port, isByServer: isByServer)]
    #expect(FTPDataPorts.announcements(in: Bytes(line.utf8).span) == wanted)
    // The line may be split anywhere.
    for cut in 1..<line.utf8.count {
      var ports = FTPDataPorts()
      let found =
        ports.consume(Bytes(line.utf8.prefix(cut)).span) + ports.consume(Bytes(line.utf8.dropFirst(cut)).span)
      #expect(found == wanted)
    }
  }

  @Test(
    arguments: [
      "227 Entering Passive Mode (203,0,113,7,256,1)\r\n", "227 Entering Passive Mode (203,0,113,7,7)\r\n",
      "227 Entering Passive Mode (203,0,113,7,0,0)\r\n", "229 (|||0|)\r\n", "229 (|||65536|)\r\n",
      "229 (|||123456|)\r\n",
      "229 (||6446|)\r\n", "229 (|||6446)\r\n", "229 (", "PORT\r\n", "PORT 192,0,2,2,7\r\n",
      "EPRT |1|192.0.2.2|\r\n",
      "EPRT |1|192.0.2.2|x|\r\n", "EPRT \r\n", "XPORT 192,0,2,2,7,209\r\n", "226 (203,0,113,7,7,208)\r\n",
      "227 Entering Passive Mode (203,0,113,7,7,208)", "\r\n", "",
    ])
  func `lines that announce no valid port are ignored`(line: String) {
    #expect(FTPDataPorts.announcements(in: Bytes(line.utf8).span) == [])
  }

  @Test func `an overlong line announces nothing, and the next line counts`() {
    let long = "227 " + String(repeating: "x", count: 600) + " (203,0,113,7,7,208)\r\n"
    let text = long + "229 (|||21|)\r\n"
    #expect(
      FTPDataPorts.announcements(in: Bytes(text.utf8).span) == [Announcement(port: 21, isByServer: true)])
  }

  @Test func `random and changed bytes never trap`() {
    var random = SeededGenerator(seed: 227)
    let sample = Bytes(
      "229 ok (|||6446|)\r\nPORT 192,0,2,2,7,209\r\nEPRT |1|192.0.2.2|6275|\r\n227 (1,2,3,4,5,6)\n".utf8)
    for _ in 0..<5000 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = FTPDataPorts.announcements(in: bytes.span)
      _ = FTPDataPorts.isCommand(bytes.span)
    }
  }

  /// The hello of another connection.
  private var otherHello: Bytes {
    var bytes = sampleClientHello
    for index in 11..<43 { bytes[index] = 7 }
    return bytes
  }

  /// Plays a control connection after AUTH TLS, which the tracker finishes once the server has sent data.
  private func speakTLS(_ traffic: inout TestTraffic) {
    traffic.say(text("220 FTP ready\r\n"), fromClient: false)
    traffic.say(text("AUTH TLS\r\n"), fromClient: true)
    traffic.say(text("234 ok\r\n"), fromClient: false)
    traffic.sayHellos()
    let sealed: Bytes = [23, 3, 3, 0, 64] + Bytes(repeating: 0xA5, count: 64)
    traffic.say(sealed, fromClient: false)
    traffic.say(sealed + sealed, fromClient: true)
    traffic.say(sealed, fromClient: false)
  }

  /// Returns the tunnels of sessions on a server port, `seconds` after lines that may announce it.
  private func tunnel(
    _ lines: [(Bool, String)], port: UInt16, clientPort: UInt16, afterTLS: Bool = true, seconds: Int64 = 1,
    times: Int = 1, isOpened: Bool = true
  ) -> [[EnclosingLayer]] {
    var traffic = TestTraffic(port: 21)
    if afterTLS { speakTLS(&traffic) } else { traffic.say(text("220 FTP ready\r\n"), fromClient: false) }
    for (fromClient, line) in lines { traffic.say(text(line), fromClient: fromClient) }
    traffic.seconds += seconds
    traffic.port = port
    for time in 0..<times {
      traffic.clientPort = clientPort + UInt16(time)
      if isOpened { traffic.open() }
      traffic.say(otherHello, fromClient: true)
    }
    return traffic.finish().filter { $0.server.port != 21 }.map(\.tunnel)
  }

  @Test(arguments: [true, false])
  func `a port announced in cleartext is a data port once and for a limited time`(afterTLS: Bool) {
    let passive = [(true, "PASV\r\n"), (false, "227 Entering Passive Mode (10,9,8,7,7,208)\r\n")]
    let extended = [(true, "EPSV\r\n"), (false, "229 ok (|||2000|)\r\n")]
    for lines in [passive, extended] {
      #expect(tunnel(lines, port: 2000, clientPort: 50_001, afterTLS: afterTLS) == [["ftp-data"]])
      #expect(tunnel(lines, port: 2001, clientPort: 50_001, afterTLS: afterTLS) == [[]])
      // The announcement counts once and expires.
      #expect(
        tunnel(lines, port: 2000, clientPort: 50_001, afterTLS: afterTLS, times: 2) == [["ftp-data"], []])
      #expect(tunnel(lines, port: 2000, clientPort: 50_001, afterTLS: afterTLS, seconds: 301) == [[]])
    }
    let active = [(true, "PORT 192,0,2,2,195,81\r\n"), (false, "200 ok\r\n")]
    #expect(
      tunnel(active, port: 20, clientPort: 50_001, afterTLS: afterTLS, isOpened: false) == [["ftp-data"]])
    // The client listens on this port: a connection that it opens from it is not a data connection.
    #expect(tunnel(active, port: 2000, clientPort: 50_001, afterTLS: afterTLS) == [[]])
  }

  @Test func `commands and replies after TLS may come in pieces`() {
    let active = [(true, "PORT 192,0"), (true, ",2,2,195,81\r\n"), (false, "200 ok\r\n")]
    #expect(tunnel(active, port: 20, clientPort: 50_001, isOpened: false) == [["ftp-data"]])
    let passive = [
      (true, "PA"), (true, "SV\r\n"), (false, "227 Entering "), (false, "Passive Mode (10,9,8,7,7,208)\r\n"),
    ]
    #expect(tunnel(passive, port: 2000, clientPort: 50_001) == [["ftp-data"]])
    #expect(tunnel(passive, port: 2001, clientPort: 50_001) == [[]])
  }

  @Test func `the last TLS records may contain line ends or none, and may be missing`() {
    for filler in [[0x0A], [0xA5], text("PORT ")] as [Bytes] {
      for lost in [0, 700] {
        var traffic = TestTraffic(port: 21)
        speakTLS(&traffic)
        for fromClient in [false, true] {
          traffic.say(Bytes((0..<900).map { filler[$0 % filler.count] }), fromClient: fromClient)
        }
        traffic.lose(Bytes(repeating: 0xA5, count: lost), fromClient: false)
        traffic.say(text("PASV\r\n"), fromClient: true)
        traffic.say(text("227 Entering Passive Mode (10,9,8,7,7,208)\r\n"), fromClient: false)
        traffic.seconds += 1
        traffic.port = 2000
        traffic.clientPort = 50_001
        traffic.open()
        traffic.say(otherHello, fromClient: true)
        #expect(traffic.finish().filter { $0.server.port != 21 }.map(\.tunnel) == [["ftp-data"]])
      }
    }
  }

  @Test func `a data session names the session of its control connection`() throws {
    var traffic = TestTraffic(port: 21)
    speakTLS(&traffic)
    traffic.say(text("PASV\r\n"), fromClient: true)
    traffic.say(text("227 ok (203,0,113,7,7,208)\r\n"), fromClient: false)
    traffic.port = 2000
    traffic.clientPort = 50_001
    traffic.open()
    traffic.say(otherHello, fromClient: true)
    var sessions = traffic.finish()
    try #require(sessions.count == 2)
    var earlier = EarlierSessions()
    for index in sessions.indices { _ = earlier.complete(&sessions[index]) }
    #expect(sessions[0].tunnel == ["starttls ftp"])
    #expect(sessions[1].tunnel == ["ftp-data"])
    #expect(sessions[1].controlSession == sessions[0].identifier)
  }

  @Test func `evicted announcements are counted`() {
    var expected = ExpectedDataConnections()
    let ends = FTPControlEndpoints(
      client: Endpoint(address: IPAddress(v4: 1), port: 50_000),
      server: Endpoint(address: IPAddress(v4: 2), port: 21), frame: 1)
    for port in 1...UInt16(3 * ExpectedDataConnections.minimumCount) {
      expected.expect(FTPDataPorts.Announcement(port: port, isByServer: true), on: ends, at: 0)
    }
    #expect(expected.forgotten == UInt64(2 * ExpectedDataConnections.minimumCount))
  }

  /// Builds a session that offers these ALPN protocols.
  private func session(
    _ maker: SessionMaker, port: UInt16, alpn: [String] = [], tunnel: [EnclosingLayer] = []
  ) -> ObservedSession {
    var session = ObservedSession(
      file: maker.file, firstFrame: maker.frame, lastFrame: maker.frame + 5, start: nil, end: nil,
      transport: .tcp, application: .tls,
      client: Endpoint(address: IPAddress(v4: 1), port: UInt16(truncatingIfNeeded: maker.frame)),
      server: Endpoint(address: maker.server, port: port))
    var content = ClientOffer()
    content.alpn = alpn
    session.serverName = maker.name
    session.sharedTLS = maker.session.sharedTLS
    session.sharedTLS?.sharedOffer = Shared(content)
    session.tunnel = tunnel
    return session
  }

  /// Returns whether the last session is on a data connection of the first one.
  private func isData(_ sessions: ObservedSession...) -> Bool {
    var earlier = EarlierSessions()
    var last = sessions[0]
    for session in sessions {
      last = session
      _ = earlier.complete(&last)
    }
    #expect(last.isFTPData == (last.controlSession == sessions[0].identifier))
    return last.isFTPData
  }

  @Test func `a session resumed from a control connection is a data session`() {
    let control = session(.full, port: 21, tunnel: ["starttls ftp"])
    #expect(isData(control, session(.byTicket, port: 2000)))
    #expect(isData(session(.full, port: 990), session(.byTicket, port: 2000)))
    #expect(isData(control, session(.byTicket, port: 20)))
    // Another control connection, HTTP by ALPN, another server, a session of another protocol.
    #expect(!isData(control, session(.byTicket, port: 21, tunnel: ["starttls ftp"])))
    #expect(!isData(session(.full, port: 990), session(.byTicket, port: 990)))
    #expect(!isData(control, session(.byTicket, port: 443, alpn: ["h2", "http/1.1"])))
    var elsewhere = SessionMaker.byTicket
    elsewhere.server = IPAddress(v4: 99)
    #expect(!isData(control, session(elsewhere, port: 2000)))
    #expect(!isData(session(.full, port: 443), session(.byTicket, port: 2000)))
    #expect(!isData(session(.full, port: 25, tunnel: ["starttls smtp"]), session(.byTicket, port: 2000)))
  }

  @Test func `a TLS 1_3 PSK links to a control connection if no other session may have issued it`() {
    func control(_ version: TLSVersion = .tls13, name: String? = "api.example.com") -> ObservedSession {
      session(SessionMaker(name: name, version: version), port: 21, tunnel: ["starttls ftp"])
    }
    func data(_ frame: UInt64 = 20, port: UInt16 = 2000, alpn: [String] = []) -> ObservedSession {
      session(
        SessionMaker(frame: frame, version: .tls13, resumption: .psk), port: port, alpn: alpn)
    }
    #expect(isData(control(), data()))
    #expect(isData(control(), data(), data(40, port: 2001)))
    #expect(!isData(control(.tls12), data()))
    #expect(!isData(control(name: "other.example.com"), data()))
    #expect(!isData(control(), data(alpn: ["http/1.1"])))
    #expect(!isData(control(), data(port: 443)))
    #expect(!isData(control(), data(port: 8443)))
    // A full handshake has no link, and a later session may offer its key.
    let other = session(SessionMaker(frame: 10, version: .tls13), port: 2000)
    #expect(!isData(control(), other))
    #expect(!isData(control(), other, data()))
  }
}
