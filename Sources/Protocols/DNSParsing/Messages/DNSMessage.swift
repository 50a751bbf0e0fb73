package import ByteParsing

/// A DNS message (RFC 1035 §4.1): header, questions, and the records of its answer and additional sections.
///
/// Records are kept up to the first fault: a message that a snapshot length has cut still tells what it tells.
package struct DNSMessage: Hashable, Sendable {
  /// One question (RFC 1035 §4.1.2).
  package struct Question: Hashable, Sendable {
    /// What is asked about.
    package var name: DomainName

    /// The type that is requested.
    package var type: RecordType
  }

  /// How many questions are read; more than one does not occur but on a local link.
  package static let maximumQuestionCount = 64

  /// How many records of a message are read, those of the authority section included; real answers have a few dozen.
  package static let maximumRecordCount = 512

  /// Bytes of a header.
  package static let headerByteCount = 12

  /// `ID`.
  package var identifier: UInt16

  /// `QR`: whether the message answers.
  package var isResponse: Bool

  /// `OPCODE`; 0 is a query.
  package var operation: UInt8

  /// `RCODE`; 0 is success.
  package var responseCode: UInt8

  /// The questions.
  package var questions: [Question] = []

  /// The records of the answer section.
  package var answers: [ResourceRecord] = []

  /// The records of the additional section.
  package var additional: [ResourceRecord] = []

  /// What ended the reading of the records, if it was not their end.
  package var fault: ParseError?

  /// Parses the payload of a datagram; over TCP, a message without its two bytes of length.
  ///
  /// Throws if the header or a question breaks its rule: then it is no such message.
  package init(parsing message: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(message)
    identifier = try reader.readUInt16("ID")
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
    from reader: inout ByteReader, in message: Span<UInt8>,
    _ counts: (answer: Int, authority: Int, additional: Int)
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

  /// How many bytes the message has at whose length over TCP `bytes` begin (RFC 1035 §4.2.2), the two of the length
  /// not counted; nil where they are not there yet.
  package static func lengthOverTCP(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    return Int(bytes[0]) << 8 | Int(bytes[1])
  }
}
