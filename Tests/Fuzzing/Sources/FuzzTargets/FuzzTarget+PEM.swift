import ByteParsing
import CertificateParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; each block begins with a SEQUENCE, and its line number is greater than the last one; 0 in DER.
  static let pem = FuzzTarget("PEM") { bytes in
    guard let blocks = try? PEMBlock.read(bytes) else { return }
    precondition(!blocks.isEmpty)
    var line = -1
    for block in blocks {
      precondition(block.der.first == 0x30 && (block.label == nil ? block.line == 0 : block.line > line))
      line = block.line
    }
  }
}
