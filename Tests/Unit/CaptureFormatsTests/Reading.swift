import ByteParsing
import CaptureFormats
import Values

/// The packets, metadata and error that a reader returns for a capture.
struct Reading {
  struct Packet: Equatable {
    var frame: UInt64
    var time: String?
    var bytes: Bytes
    var options: Bytes
    var originalLength: Int
    var linkType: LinkType
    var fcsLength: Int
    var byteOrder: ByteOrder
  }

  var packets: [Packet] = []
  var error: CaptureError?
  var metadata: CaptureMetadata?
  var offset = 0

  /// Reads to the end or the first error.
  init(_ source: any ByteSource, readSize: Int = 256 * 1024) {
    do throws(CaptureError) {
      var reader = try CaptureReader(source, readSize: readSize)
      do throws(CaptureError) {
        while let record = try reader.next() {
          packets.append(
            Packet(
              frame: record.frameNumber, time: record.hasTimestamp ? record.timestamp.description : nil,
              bytes: Bytes(copying: reader.bytes(of: record)),
              options: Bytes(copying: reader.options(of: record)), originalLength: record.originalLength,
              linkType: record.linkType, fcsLength: record.fcsLength, byteOrder: record.byteOrder))
        }
      } catch {
        self.error = error
        // After an error the reader returns neither a packet nor a second error.
        if try reader.next() != nil { fatalError("a packet after an error") }
      }
      metadata = reader.metadata
      offset = reader.offset
    } catch {
      self.error = error
    }
  }

  init(_ bytes: Bytes, chunk: Int = .max, readSize: Int = 256 * 1024) {
    self.init(MemorySource(bytes, chunk: chunk), readSize: readSize)
  }
}

/// The bytes 1, 2, 3 and so on.
func counting(_ count: Int) -> Bytes {
  Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) })
}
