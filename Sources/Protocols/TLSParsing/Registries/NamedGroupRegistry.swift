/// Key exchange groups by code point (IANA "TLS Supported Groups"), and unregistered experiments.
enum NamedGroupRegistry {
  struct Entry {
    var codePoint: UInt16
    var name: String
    var kind: NamedGroup.Kind
    /// The size that other tools print; for a hybrid, that of its classical part.
    var bits: Int?

    init(_ codePoint: UInt16, _ name: String, _ kind: NamedGroup.Kind, _ bits: Int?) {
      self.codePoint = codePoint
      self.name = name
      self.kind = kind
      self.bits = bits
    }
  }

  /// In ascending order of code points, without reserved and GREASE values.
  static let entries: [Entry] = [
    Entry(0x0001, "sect163k1", .ecdhe, 163),
    Entry(0x0002, "sect163r1", .ecdhe, 163),
    Entry(0x0003, "sect163r2", .ecdhe, 163),
    Entry(0x0004, "sect193r1", .ecdhe, 193),
    Entry(0x0005, "sect193r2", .ecdhe, 193),
    Entry(0x0006, "sect233k1", .ecdhe, 233),
    Entry(0x0007, "sect233r1", .ecdhe, 233),
    Entry(0x0008, "sect239k1", .ecdhe, 239),
    Entry(0x0009, "sect283k1", .ecdhe, 283),
    Entry(0x000A, "sect283r1", .ecdhe, 283),
    Entry(0x000B, "sect409k1", .ecdhe, 409),
    Entry(0x000C, "sect409r1", .ecdhe, 409),
    Entry(0x000D, "sect571k1", .ecdhe, 571),
    Entry(0x000E, "sect571r1", .ecdhe, 571),
    Entry(0x000F, "secp160k1", .ecdhe, 160),
    Entry(0x0010, "secp160r1", .ecdhe, 160),
    Entry(0x0011, "secp160r2", .ecdhe, 160),
    Entry(0x0012, "secp192k1", .ecdhe, 192),
    Entry(0x0013, "secp192r1", .ecdhe, 192),
    Entry(0x0014, "secp224k1", .ecdhe, 224),
    Entry(0x0015, "secp224r1", .ecdhe, 224),
    Entry(0x0016, "secp256k1", .ecdhe, 256),
    Entry(0x0017, "secp256r1", .ecdhe, 256),
    Entry(0x0018, "secp384r1", .ecdhe, 384),
    Entry(0x0019, "secp521r1", .ecdhe, 521),
    Entry(0x001A, "brainpoolP256r1", .ecdhe, 256),
    Entry(0x001B, "brainpoolP384r1", .ecdhe, 384),
    Entry(0x001C, "brainpoolP512r1", .ecdhe, 512),
    Entry(0x001D, "x25519", .ecdhe, 253),
    Entry(0x001E, "x448", .ecdhe, 448),
    Entry(0x001F, "brainpoolP256r1tls13", .ecdhe, 256),
    Entry(0x0020, "brainpoolP384r1tls13", .ecdhe, 384),
    Entry(0x0021, "brainpoolP512r1tls13", .ecdhe, 512),
    Entry(0x0022, "GC256A", .ecdhe, 256),
    Entry(0x0023, "GC256B", .ecdhe, 256),
    Entry(0x0024, "GC256C", .ecdhe, 256),
    Entry(0x0025, "GC256D", .ecdhe, 256),
    Entry(0x0026, "GC512A", .ecdhe, 512),
    Entry(0x0027, "GC512B", .ecdhe, 512),
    Entry(0x0028, "GC512C", .ecdhe, 512),
    Entry(0x0029, "curveSM2", .ecdhe, 256),
    Entry(0x0100, "ffdhe2048", .ffdhe, 2048),
    Entry(0x0101, "ffdhe3072", .ffdhe, 3072),
    Entry(0x0102, "ffdhe4096", .ffdhe, 4096),
    Entry(0x0103, "ffdhe6144", .ffdhe, 6144),
    Entry(0x0104, "ffdhe8192", .ffdhe, 8192),
    Entry(0x0200, "MLKEM512", .kem, nil),
    Entry(0x0201, "MLKEM768", .kem, nil),
    Entry(0x0202, "MLKEM1024", .kem, nil),
    Entry(0x11EB, "SecP256r1MLKEM768", .hybrid, 256),
    Entry(0x11EC, "X25519MLKEM768", .hybrid, 253),
    Entry(0x11ED, "SecP384r1MLKEM1024", .hybrid, 384),
    Entry(0x11EE, "curveSM2MLKEM768", .hybrid, 256),
    Entry(0x4138, "CECPQ2", .hybrid, 253),  // Unregistered experiment.
    Entry(0x6399, "X25519Kyber768Draft00", .hybrid, 253),
    Entry(0x639A, "SecP256r1Kyber768Draft00", .hybrid, 256),
    Entry(0xFE30, "X25519Kyber512Draft00", .hybrid, 253),  // Unregistered experiment.
    Entry(0xFE31, "X25519Kyber768Draft00", .hybrid, 253),  // Unregistered experiment.
    Entry(0xFE32, "P256Kyber768Draft00", .hybrid, 256),  // Unregistered experiment.
    Entry(0xFF01, "arbitrary_explicit_prime_curves", .ecdhe, nil),
    Entry(0xFF02, "arbitrary_explicit_char2_curves", .ecdhe, nil),
  ]
}
