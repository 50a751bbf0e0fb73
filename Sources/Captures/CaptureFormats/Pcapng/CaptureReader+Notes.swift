import ByteParsing
import Values

extension CaptureReader {
  /// Reads a Name Resolution Block (§4.5): records of an address and its names, then options.
  mutating func readNames(_ block: Block) {
    let end = block.start + block.length - 4
    var records = OptionList(from: block.start + BlockLayout.body, to: end)
    while let record = records.next(in: input.bytes, byteOrder) {
      switch record.code {
      case NameRecordType.ipv4: readNameRecord(record, addressLength: 4)
      case NameRecordType.ipv6: readNameRecord(record, addressLength: 16)
      default: break
      }
    }
    if records.isMalformed {
      metadata.anomalies.malformedBlocks += 1
      return
    }
    var options = OptionList(from: records.position, to: end)
    while options.next(in: input.bytes, byteOrder) != nil {}
    if options.isMalformed { metadata.anomalies.malformedOptions += 1 }
  }

  /// Reads an address and the zero-terminated names after it.
  private mutating func readNameRecord(_ record: OptionList.Item, addressLength: Int) {
    guard record.count >= addressLength else {
      metadata.anomalies.malformedBlocks += 1
      return
    }
    let address =
      addressLength == 4
      ? IPAddress(v4: input.bytes.uint32(at: record.start, .bigEndian))
      : IPAddress(v6: input.bytes.uint64(at: record.start, .bigEndian), input.bytes.uint64(at: record.start + 8, .bigEndian))
    let end = record.start + record.count
    var start = record.start + addressLength
    while start < end {
      var length = 0
      while start + length < end, input.bytes.byte(start + length) != 0 { length += 1 }
      if length > 0 {
        let name = input.bytes.text(at: start, count: length)
        if mayKeep(name.utf8.count) {
          metadata.names.append(CaptureName(address: address, name: name, precedingPackets: packetCount))
        }
      }
      start += length + 1
    }
  }

  /// Reads a Decryption Secrets Block (§4.7): type (4), length (4), data, options.
  mutating func readSecrets(_ block: Block) {
    let room = block.length - 20
    guard room >= 0 else { return noteFault(.blockLength(block.length), in: block) }
    let length = Int(input.bytes.uint32(at: block.start + 12, byteOrder))
    guard length <= room else { return noteFault(.secretsBeyondBlock(length: length, available: room), in: block) }
    guard secretsBudget.spend(length) else {
      metadata.anomalies.leftOut += 1
      return
    }
    let type = SecretsType(rawValue: input.bytes.uint32(at: block.start + 8, byteOrder))
    metadata.secrets.append(
      DecryptionSecrets(type: type, data: Bytes(copying: input.span(from: block.start + 16, count: length)), precedingPackets: packetCount))
  }

  /// Records that a block of secrets cannot be read. Malformed names and statistics are only counted: no verdict depends on them.
  private mutating func noteFault(_ reason: CaptureError.Reason, in block: Block) {
    metadata.anomalies.malformedBlocks += 1
    if skipFault == nil { skipFault = error(reason, in: block) }
  }
}
