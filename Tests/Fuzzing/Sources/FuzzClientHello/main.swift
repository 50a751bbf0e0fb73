import ByteParsing
import FuzzDriver
import TLSParsing

// Any bytes either parse or throw, in each form; scanner and parser agree; fingerprints come from whatever is parsed.
fuzz { bytes in
  let hello = try? ClientHello(parsing: bytes)
  var shape = HelloShape()
  let scan = ClientHelloScan(bytes, shape: &shape)
  precondition((hello == nil) == (scan == nil))
  if let hello, let scan {
    precondition(scan.serverName.count == hello.serverName?.count ?? 0)
    precondition(scan.sessionID.count == hello.sessionID.count)
    _ = ja3String(of: hello)
    _ = JA4Inputs(of: hello)
  }
  let prefix = ClientHello(parsingPrefix: bytes)
  precondition(hello == nil || prefix == hello)
  _ = try? ClientHello(parsingSSL2: bytes)
  _ = TLSRecognition.handshakeStart(bytes)
  _ = TLSRecognition.ssl2Hello(bytes)
  _ = TLSRecognition.alertStart(bytes)
  _ = TLSRecognition.dtlsHello(bytes)
}
