import ByteParsing
import Values

/// What an extract contains instead of consecutive bytes.
enum Replacement {
  /// The same bytes; `isFraming` if they delimit messages.
  case same(isFraming: Bool)
  case zeros
  /// ASCII zeros.
  case digits
  /// These bytes. A copy that differed from `original` still differs in the extract.
  case bytes(Bytes, original: Bytes? = nil)
  /// An address, which is replaced if required; `text` contains its characters if it is written as text.
  case address(IPAddress, text: Bytes?)

  /// The number of bytes that it stores.
  var keptByteCount: Int {
    switch self {
    case .bytes(let bytes, _), .address(_, text: let bytes?): bytes.count
    case .same, .zeros, .digits, .address: 0
    }
  }

  /// Whether it may continue with `next`.
  func joins(_ next: Replacement) -> Bool {
    switch (self, next) {
    case (.zeros, .zeros): true
    case (.same(let isFraming), .same(let isOther)): isFraming == isOther
    default: false
    }
  }
}
