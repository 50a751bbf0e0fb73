package import ByteParsing

/// Bytes that one endpoint of a connection sends.
package typealias DialogueLine = (fromClient: Bool, bytes: Bytes)

/// Text of the client.
package func c(_ text: String) -> DialogueLine { (true, Bytes(text.utf8)) }

/// Text of the server.
package func s(_ text: String) -> DialogueLine { (false, Bytes(text.utf8)) }

/// SMTP from the client's greeting to the server's consent to TLS.
package let startTLS = [
  c("EHLO a\r\n"), s("250-mx\r\n250 STARTTLS\r\n"), c("STARTTLS\r\n"), s("220 go\r\n"),
]

/// An ADB message.
package func bridge(_ command: String, _ body: Bytes = []) -> Bytes {
  let name = Bytes(command.utf8)
  let header = name + hex("00000001 00001000") + little(body.count, 4) + [0, 0, 0, 0]
  return header + Bytes(name.map { ~$0 }) + body
}
