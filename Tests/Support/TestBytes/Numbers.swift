package import ByteParsing

/// A number in two bytes, in network byte order, without its higher bits.
package func two(_ value: Int) -> Bytes { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

/// A number in three bytes, in network byte order, without its higher bits.
package func three(_ value: Int) -> Bytes { [UInt8(value >> 16 & 0xFF)] + two(value) }

/// A number in four bytes, in network byte order, without its higher bits.
package func four(_ value: Int) -> Bytes { two(value >> 16) + two(value) }

/// A number in `count` bytes, least significant first, without its higher bits.
package func little(_ value: Int, _ count: Int) -> Bytes {
  Bytes((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
}

/// Bytes after a one-byte length.
package func vector8(_ bytes: Bytes) -> Bytes { [UInt8(bytes.count)] + bytes }

/// Bytes after a two-byte length.
package func vector16(_ bytes: Bytes) -> Bytes { two(bytes.count) + bytes }

/// Bytes after a three-byte length.
package func vector24(_ bytes: Bytes) -> Bytes { three(bytes.count) + bytes }
