import ByteParsing
import FuzzDriver
import TLSParsing

// Any bytes either parse or throw, in each form; scanner and parser agree.
fuzz { bytes in
  let hello = try? ServerHello(parsing: bytes)
  let scan = ServerHelloScan(bytes, seed: 7)
  precondition((hello == nil) == (scan == nil))
  if let hello, let scan {
    precondition(scan.cipherSuite == hello.cipherSuite)
    var shape = Bytes()
    scan.writeShape(of: bytes, into: &shape)
    precondition(scan.hasShape(shape.span, of: bytes))
    _ = ja3sString(of: hello)
  }
  let prefix = try? ServerHello(parsingPrefix: bytes)
  precondition(hello == nil || prefix == hello)
  _ = try? SSL2ServerHello(parsing: bytes)
  _ = try? EncryptedExtensions(parsing: bytes)
  _ = try? NewSessionTicket(parsing: bytes)
}
