import Decompression

/// A compression format for a single stream.
package enum CompressionFormat: String, Hashable, Sendable, CaseIterable {
  /// RFC 1952.
  case gzip
  /// RFC 8878.
  case zstd
  /// LZ4 frames.
  case lz4
  case xz
  case bzip2
}

extension CompressionFormat {
  /// The decoder of the format; nil for formats that libarchive decodes, whose blocks are either complete or lost.
  var decoder: (any StreamDecoder)? {
    switch self {
    case .gzip: GzipDecoder()
    case .zstd: ZstdDecoder()
    case .xz: XZDecoder()
    case .lz4, .bzip2: nil
    }
  }
}
