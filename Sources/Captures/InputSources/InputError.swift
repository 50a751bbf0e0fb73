package import ArchiveReading
package import ByteParsing
package import CaptureFormats
import Values

/// An input that cannot be used.
package struct InputError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// There is no such file.
    case noSuchFile

    /// The system refuses to open it.
    case permissionDenied

    /// It is a directory where a file is needed.
    case isDirectory

    /// It is a device, a socket or similar.
    case specialFile

    /// It is empty.
    case empty

    /// It is neither a capture nor saved sessions; `start` contains at most its first four bytes.
    case notACapture(start: Bytes)

    /// Its first bytes cannot be read or unpacked.
    case unreadable(CaptureError)

    /// It is an archive that cannot be read, or not beyond an offset.
    case archive(ArchiveError)

    /// It is an archive within an archive, which is not opened.
    case nestedArchive

    /// It is compressed twice.
    case packedTwice

    case noCapturesInArchive

    /// It is part of a series that is not stored in the order in which it was written.
    case seriesOutOfOrder

    /// It is an archive from a pipe, whose files cannot be examined before they are read, so that none are joined.
    case seriesFromPipe

    /// It is a directory below which no capture was found.
    case noCaptures

    case tooManyEntries(limit: Int)

    /// It is saved sessions, and these options select packets.
    case noPackets(options: [String])

    /// It was already named.
    case repeated

    /// It exceeds the size limit for such a file, in bytes.
    case tooLong(limit: Int)

    /// A system call failed with this `errno`.
    case system(code: Int32)
  }

  package var path: String
  package var reason: Reason

  package init(_ reason: Reason, path: String) {
    self.path = path
    self.reason = reason
  }
}

extension InputError: CustomStringConvertible {
  /// One line: the path as given, unescaped, and the reason.
  package var description: String { "\(path): \(explanation)" }

  /// The reason, and what to do about it if that is not obvious.
  package var explanation: String {
    switch reason {
    case .noSuchFile: "no such file or directory"
    case .permissionDenied: "permission denied"
    case .isDirectory: "is a directory, but a file is required"
    case .specialFile: "is a device or a socket, which is not opened"
    case .empty: "is empty"
    case .notACapture(let start):
      InputError.otherFormat(start).map {
        "is a capture in \($0) format, which is not supported; convert it with Wireshark's editcap -F pcapng"
      } ?? InputError.otherArchive(start).map { "is \($0), which is not supported; unpack it to read the captures in it" }
        ?? InputError.otherKind(start, path)
        ?? "is not a capture (pcap or pcapng) and not saved sessions (NDJSON); it begins with \(InputError.shown(start))"
    case .unreadable(let error): error.description
    case .archive(let error): error.description
    case .nestedArchive: "is an archive inside an archive; unpack it to read it"
    case .packedTwice: "is compressed twice; unpack it once"
    case .noCapturesInArchive: "no captures in this archive"
    case .seriesOutOfOrder:
      "the parts of this rotated capture are too far out of order in the archive; unpack it to read them as one"
    case .seriesFromPipe: "is an archive from a pipe, whose files --series always cannot join; give the archive as a file"
    case .noCaptures: "no captures in this directory"
    case .tooManyEntries(let limit):
      "more than \(limit) files in this directory; give its subdirectories instead"
    case .noPackets(let options):
      "contains saved sessions, which have no packets for \(options.joined(separator: " and ")) to select; give the capture instead"
    case .repeated: "is given twice, so its sessions count twice"
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .system(let code): "cannot be read (system error \(code))"
    }
  }
}

extension InputError {
  /// The kind of a file that is not a capture, according to its first bytes, and the option that reads it.
  private static func otherKind(_ start: Bytes, _ path: String) -> String? {
    let name = path.asciiLowercase
    if name.hasSuffix(".erf") {
      return
        "is an Endace capture (ERF), which is not supported; convert it with Wireshark's editcap -F pcapng"
    }
    let text = String(decoding: start, as: UTF8.self)
    switch text {
    case "----": return "is a PEM file, not a capture: --anchors, --chain and --revocations read certificates"
    case "bpli": return "is a property list, not a capture: --info-plist reads an app's settings"
    case "<?xm", "<!DO", "<pli":
      return name.hasSuffix(".plist") ? "is a property list, not a capture: --info-plist reads an app's settings" : "is XML, not a capture"
    case "CLIE", "SERV", "EXPO", "EARL", "QUIC", "# SS":
      return "is a key log, not a capture: --keylog reads it"
    case "\u{FFFD}PNG": return "is a PNG image, not a capture"
    case "%PDF": return "is a PDF document, not a capture"
    default: break
    }
    guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
    return name.hasSuffix(".har") || text == "{\"lo"
      ? "is a HAR file, which has requests but no handshakes: record packets instead (sudo tcpdump -i any -w trace.pcap)"
      : "is JSON without saved sessions: --format ndjson saves sessions"
  }

  /// The archive format, other than ZIP and tar, that begins with these bytes; nil if unknown.
  private static func otherArchive(_ start: Bytes) -> String? {
    if start == [0x37, 0x7A, 0xBC, 0xAF] { return "a 7z archive" }
    return switch String(decoding: start, as: UTF8.self) {
    case "Rar!": "a RAR archive"
    case "!<ar": "an ar archive or a Debian package"
    case "0707": "a cpio archive"
    case "xar!": "a xar archive"
    case "MSCF": "a cabinet"
    default: nil
    }
  }

  /// Returns bytes in quotes if they are printable ASCII, else their hexadecimal digits.
  private static func shown(_ bytes: Bytes) -> String {
    bytes.allSatisfy { (0x20...0x7E).contains($0) }
      ? "'\(String(decoding: bytes, as: UTF8.self))'" : bytes.map { hexadecimal([$0]) }.joined(separator: " ")
  }

  /// The capture format, other than pcap and pcapng, that begins with these bytes; nil if unknown.
  private static func otherFormat(_ start: Bytes) -> String? {
    guard start.count == 4 else { return nil }
    return switch start.reduce(UInt32(0), { $0 << 8 | UInt32($1) }) {
    case 0x736E_6F6F: "snoop"
    case 0x6970_7472: "iptrace"
    case 0x6274_736E: "Bluetooth (btsnoop)"
    case 0x5254_5353, 0x474D_4255: "Microsoft Network Monitor"
    case 0x5452_534E, 0x5843_5000: "Sniffer"
    case 0x7F76_6572, 0xFF76_6572: "Savvius OmniPeek"
    case 0x4F62_7365: "Observer"
    case 0x0556_4E46: "Visual Networks"
    case 0x5452_0064: "HP-UX nettl"
    default: nil
    }
  }
}
