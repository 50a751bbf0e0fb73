import ByteParsing
import CertificateParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; what is found is DER's beginning, and lines only grow.
  static let pem = FuzzTarget("PEM") { bytes in
    guard let blocks = try? PEMBlock.read(bytes) else { return }
    precondition(!blocks.isEmpty)
    var line = -1
    for block in blocks {
      precondition(block.der.first == 0x30 && block.line > line)
      line = block.line
    }
  }
}
