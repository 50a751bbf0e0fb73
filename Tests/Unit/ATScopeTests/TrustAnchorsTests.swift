import ATScope
import TestFiles
import Testing

@Suite struct TrustAnchorsTests {
  @Test func `a certificate over the size limit is reported with its size`() throws {
    let scratch = try TemporaryFolder()
    // A PEM block of a SEQUENCE of 1,200,000 bytes.
    let line = String(repeating: "A", count: 64) + "\n"
    let text =
      "-----BEGIN CERTIFICATE-----\nMIMST4AA\n" + String(repeating: line, count: 25_000)
      + "-----END CERTIFICATE-----\n"
    let file = try scratch.write("large.pem", text)
    let error = #expect(throws: AuditError.self) { _ = try TrustAnchors(system: .none, added: [file]) }
    #expect(error?.description.contains("a certificate of 1200006 bytes; at most 1048576 are read") == true)
  }

  @Test func `the label of a PEM block is escaped in an error`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("a.pem", "-----BEGIN A\\B-----\nAAAA\n-----END A\\B-----\n")
    let error = #expect(throws: AuditError.self) { _ = try TrustAnchors(system: .none, added: [file]) }
    #expect(error?.reason.hasSuffix(#"has the label A\\B"#) == true)
  }
}
