package import CaptureFormats
package import HandshakeDecryption

/// The secrets in a capture (Decryption Secrets Blocks of pcapng).
package struct CaptureSecrets {
  /// The counts of lines in all blocks, by their use.
  private(set) var counts = KeyLogCounts()

  /// Whether a block comes after packets of handshakes that it may decrypt.
  private(set) var cameLate = false

  private(set) var takenBlocks = 0

  package init() {}

  /// Adds the blocks that were read since the previous call.
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

  /// Begins another part of the capture, whose blocks are counted from the start.
  mutating func beginPart() { takenBlocks = 0 }

  /// Reads a whole capture only for its secrets, before it is read for its sessions, as secrets may come after the packets that they
  /// decrypt. Faults are ignored, because the second reading finds them again.
  package mutating func gather(_ source: any ByteSource, into store: inout SecretStore) {
    beginPart()
    guard var reader = try? CaptureReader(source) else { return }
    while (try? reader.next()) != nil {}
    take(from: reader.metadata, into: &store)
  }
}
