import ByteParsing
import CertificateParsing
import FuzzDriver
import Values

// Any bytes either parse or throw, and every entry is accounted for.
fuzz { bytes in
  guard let list = try? SignedCertificateTimestampList(parsing: bytes) else { return }
  let read = list.timestamps.count + list.malformedCount
  precondition(read == min(list.count, SignedCertificateTimestampList.countLimit))
  for timestamp in list.timestamps { precondition(timestamp.time.nanoseconds < 1_000_000_000) }
}
