package import ByteParsing

/// The bytes of a text.
package func text(_ text: String) -> Bytes { Bytes(text.utf8) }

/// The parts, concatenated; long chains of `+` are slow to compile.
package func joined(_ parts: Bytes...) -> Bytes { Bytes(parts.joined()) }

/// The bytes of Base64 text; spaces and line breaks are ignored.
package func base64(_ text: String) -> Bytes {
  let characters = Bytes(text.utf8.filter { $0 > 0x20 })
  return Base64.decode(characters.span) ?? []
}

/// A PEM block with its Base64 in one line.
package func pemBlock(_ der: Bytes, label: String = "CERTIFICATE") -> String {
  "-----BEGIN \(label)-----\n\(Base64.text(of: der))\n-----END \(label)-----\n"
}
