package import ByteParsing

/// A DNS message (RFC 1035 §4.1): header, questions, and the records of its answer and additional sections.
///
/// Records before the first fault are kept, so that a message truncated to the snapshot length is still useful.
package struct DNSMessage: Hashable, Sendable {
  /// One question (RFC 1035 §4.1.2).
  package struct Question: Hashable, Sendable {
    /// The name in question.
    package var name: DomainName

    /// The requested type.
    package var type: RecordType
  }

  /// The maximum number of questions read; more than one occurs only on a local link.
  package static let maximumQuestionCount = 64

  /// The maximum number of records read, including the authority section; real responses have a few dozen.
  package static let maximumRecordCount = 512

  /// The length of a header in bytes.
  package static let headerByteCount = 12

  /// `QR`: whether the message is a response.
  package var isResponse: Bool

  /// `OPCODE`; 0 is a query.
  package var operation: UInt8

  /// `RCODE`; 0 is success.
  package var responseCode: UInt8

  package var questions: [Question] = []

  /// The records of the answer section.
  package var answers: [ResourceRecord] = []

  /// The records of the additional section.
  package var additional: [ResourceRecord] = []

  /// The fault at which reading of the records ended; nil if all were read.
  package var fault: ParseError?

  /// Parses the payload of a datagram; over TCP, a message without its two-byte length.
  ///
  /// Throws if the header or a question is malformed: the bytes are then not DNS.
  package init(parsing message: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(message)
    _ = try reader.readUInt16("ID")
    let flags = try reader.readUInt16("flags")
    isResponse = flags & 0x8000 != 0
    operation = UInt8(truncatingIfNeeded: flags >> 11 & 0xF)
    responseCode = UInt8(truncatingIfNeeded: flags & 0xF)
    let questionCount = Int(try reader.readUInt16("QDCOUNT"))
    let answerCount = Int(try reader.readUInt16("ANCOUNT"))
    let authorityCount = Int(try reader.readUInt16("NSCOUNT"))
    let additionalCount = Int(try reader.readUInt16("ARCOUNT"))
    guard questionCount <= Self.maximumQuestionCount else {
      throw ParseError(.limitReached(Self.maximumQuestionCount), in: "QDCOUNT", at: 4)
    }
    for _ in 0..<questionCount {
      let name = try DomainName(from: &reader, in: message)
      let type = RecordType(rawValue: try reader.readUInt16("QTYPE"))
      _ = try reader.readUInt16("QCLASS")
      questions.append(Question(name: name, type: type))
    }
    do throws(ParseError) {
      try readRecords(from: &reader, in: message, (answerCount, authorityCount, additionalCount))
    } catch {
      fault = error
    }
  }

  private mutating func readRecords(
    from reader: inout ByteReader, in message: Span<UInt8>, _ counts: (answer: Int, authority: Int, additional: Int)
  ) throws(ParseError) {
    for index in 0..<(counts.answer + counts.authority + counts.additional) {
      guard index < Self.maximumRecordCount else {
        throw ParseError(.limitReached(Self.maximumRecordCount), in: "records", at: reader.offset)
      }
      let record = try ResourceRecord(from: &reader, in: message)
      if index < counts.answer {
        answers.append(record)
      } else if index >= counts.answer + counts.authority {
        additional.append(record)
      }
    }
  }

  /// The length of the message after the two-byte length with which `bytes` begins (RFC 1035 §4.2.2); nil if the length is incomplete.
  package static func lengthOverTCP(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    return Int(bytes.raw.big16(0))
  }
}
