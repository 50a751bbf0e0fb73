import ByteParsing
import FuzzDriver
import TLSParsing

// Any bytes either parse or throw, in each form; scanner and parser agree.
fuzz { bytes in
  let hello = try? ServerHello(parsing: bytes)
  var shape = HelloShape()
  let scan = ServerHelloScan(bytes, shape: &shape)
  precondition((hello == nil) == (scan == nil))
  if let hello, let scan {
    precondition(scan.sessionID.count == hello.sessionID.count)
    _ = ja3sString(of: hello)
  }
  let prefix = try? ServerHello(parsingPrefix: bytes)
  precondition(hello == nil || prefix == hello)
  _ = try? SSL2ServerHello(parsing: bytes)
  _ = try? EncryptedExtensions(parsing: bytes)
  _ = try? NewSessionTicket(parsing: bytes)
}
