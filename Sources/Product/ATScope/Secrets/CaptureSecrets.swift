import CaptureFormats
import HandshakeDecryption

/// The secrets that a capture brings along (Decryption Secrets Blocks of pcapng).
struct CaptureSecrets {
  /// What became of the lines of all blocks.
  private(set) var counts = KeyLogCounts()

  /// Whether a block comes after packets whose handshakes it may decrypt, too late for them.
  private(set) var cameLate = false

  private(set) var takenBlocks = 0

  /// Takes the blocks that have been read since the last time.
  mutating func take(from metadata: CaptureMetadata, into store: inout SecretStore) {
    while takenBlocks < metadata.secrets.count {
      let block = metadata.secrets[takenBlocks]
      takenBlocks += 1
      guard block.type == .tlsKeyLog else { continue }
      if block.precedingPackets > 0 { cameLate = true }
      var reader = KeyLogReader()
      reader.read(block.data.span, into: &store)
      reader.finish(into: &store)
      counts.add(reader.counts)
    }
  }

  /// Makes ready for another part of the capture, whose blocks are counted from the start.
  mutating func beginPart() { takenBlocks = 0 }

  /// Reads a whole capture for its secrets only, before it is read for its sessions: secrets may come after the packets that they
  /// decrypt. Faults are ignored, since the second reading finds them again.
  mutating func gather(_ source: any ByteSource, into store: inout SecretStore) {
    beginPart()
    guard var reader = try? CaptureReader(source) else { return }
    while (try? reader.next()) != nil {}
    take(from: reader.metadata, into: &store)
  }
}
