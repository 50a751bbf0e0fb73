import ByteParsing
import HandshakeDecryption
import SeededRandom
import TestBytes
import TLSParsing
import Testing

/// The uncompressed message; it is not a certificate list, because the decompressor does not parse it.
private let original: Bytes = [0, 0, 1, 0x2C] + Bytes(0..<200) + Bytes(repeating: 0, count: 100)

/// `original`, compressed with zlib.
private let zlibBytes = hex(
  """
  78da636060d46160646266616563e7e0e4e2e6e1e5e3171014121611151397909492969195935750545256515553d7d0d4d2d6d1
  d5d33730343236313533b7b0b4b2b6b1b5b37770747276717573f7f0f4f2f6f1f5f30f080c0a0e090d0b8f888c8a8e898d8b4f48
  4c4a4e494d4bcfc8cccacec9cdcb2f282c2a2e292d2bafa8acaaaea9adab6f686c6a6e696d6befe8eceaeee9edeb9f3071d2e429
  53a74d9f3173d6ec3973e7cd5fb070d1e2254b972d5fb172d5ea356bd7addfb071d3e62d5bb76ddfb173d7ee3d7bf7ed3f70f0d0
  e123478f1d67a0030000eeac4dea
  """)

/// `original`, compressed with brotli.
private let brotliBytes = hex(
  """
  1b2f01e09f07360ef58119278194c013362557f8878d5b3b1003dbb63759ad03db8dfd239186980268ba10b140da39f1ecbb80cd
  0e20c284322ea4d2c63a1f62caa5b63ee6dae7be0f80108ca0184e9014cdb01c2f8892aca89a6e9896edb89e1f84519ca4595e94
  55ddb45d3f8cd3bcacdb7e9cd7fdbcdfef0f80108ca0184e9014cdb01c2f8892aca89a6e9896edb89e1f84519ca4595e9455ddb4
  5d3f8cd3bcacdb7e9cd7fdbcdfef74f704
  """)

/// `original`, compressed with zstd.
private let zstdBytes = hex(
  """
  28b52ffd603000ad0600d40c0000012c000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223
  2425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f5051525354555657
  58595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b
  8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
  c0c1c2c3c4c5c6c70001004d900229
  """)

private let packed: [(CertificateCompressionAlgorithm, Bytes)] = [
  (.zlib, zlibBytes), (.brotli, brotliBytes), (.zstd, zstdBytes),
]

@Suite struct CertificateDecompressionTests {
  /// The decompressed message, or the failure.
  private func unpack(
    _ algorithm: CertificateCompressionAlgorithm, _ bytes: Bytes, claimed: Int
  ) -> Result<Bytes, CertificateDecompression.Failure> {
    let body = two(Int(algorithm.rawValue)) + three(claimed) + vector24(bytes)
    guard let message = try? CompressedCertificate(parsing: body.span) else { return .failure(.malformed) }
    do {
      return .success(try CertificateDecompression.decompress(message, in: body.span))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [0, 1, 2])
  func `a message is decompressed with each of the three algorithms`(index: Int) {
    let (algorithm, bytes) = packed[index]
    let isSame = unpack(algorithm, bytes, claimed: original.count) == .success(original)
    #expect(isSame)
  }

  @Test(arguments: [0, 1, 2], [-1, 1])
  func `a message with a wrong uncompressed_length fails`(index: Int, difference: Int) {
    let (algorithm, bytes) = packed[index]
    let result = unpack(algorithm, bytes, claimed: original.count + difference)
    #expect(result == .failure(.malformed))
  }

  @Test(arguments: [0, 1, 2])
  func `an uncompressed_length above the limit fails before decompression`(index: Int) {
    let (algorithm, bytes) = packed[index]
    #expect(unpack(algorithm, bytes, claimed: 0xFF_FFFF) == .failure(.tooLong(0xFF_FFFF)))
  }

  @Test(arguments: [0, 4, 0xFFFF] as [UInt16])
  func `an unknown algorithm is reported by its number`(number: UInt16) {
    let algorithm = CertificateCompressionAlgorithm(rawValue: number)
    #expect(unpack(algorithm, [1, 2, 3], claimed: 10) == .failure(.unknownAlgorithm(algorithm)))
  }

  @Test(arguments: [0, 1, 2])
  func `truncated and changed messages fail or have the uncompressed_length`(index: Int) {
    let (algorithm, bytes) = packed[index]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      var input = bytes
      let offset = Int.random(in: 0..<input.count, using: &random)
      if Bool.random(using: &random) {
        input[offset] ^= UInt8.random(in: 1...255, using: &random)
      } else {
        input.removeLast(offset)
      }
      if case .success(let message) = unpack(algorithm, input, claimed: original.count) {
        #expect(message.count == original.count)
      }
    }
  }
}
