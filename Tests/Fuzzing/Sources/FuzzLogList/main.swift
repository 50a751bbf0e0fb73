import ByteParsing
import CertificateTransparency
import FuzzDriver

// Any bytes either parse or throw.
fuzz { bytes in
  guard let list = try? TransparencyLogList(parsing: bytes) else { return }
  precondition(list.logs.allSatisfy { $0.key == $0.value.identifier && $0.key.count == 32 })
}
