import Values

/// The result of the hellos so far (RFC 8446 §4.1, RFC 5246 §7.4.1).
enum Negotiation {
  /// No ServerHello has been read. A client repeats its hello only after a HelloRetryRequest, captured or not.
  case awaitingServerHello(isClientHelloRepeated: Bool)
  /// The server's last hello is a HelloRetryRequest. `isAnswered` if the second ClientHello has been read.
  case helloRetryRequest(isAnswered: Bool)
  /// The server chose TLS 1.2 or earlier. After a repeated ClientHello, it is uncertain which one the server answers.
  case tls12(isClientHelloRepeated: Bool)
  /// The server chose TLS 1.3, or a draft of it.
  case tls13

  /// Whether the server uses TLS 1.3, without which it would not send a HelloRetryRequest.
  var isTLS13: Bool {
    switch self {
    case .tls13, .helloRetryRequest: true
    case .awaitingServerHello, .tls12: false
    }
  }

  /// Whether the server may still send its final ServerHello.
  var awaitsServerHello: Bool {
    switch self {
    case .awaitingServerHello, .helloRetryRequest: true
    case .tls12, .tls13: false
    }
  }

  /// Whether no ServerHello or HelloRetryRequest has been read.
  var isAwaitingFirstServerHello: Bool {
    if case .awaitingServerHello = self { true } else { false }
  }

  /// Whether the client repeated its hello before a ServerHello or HelloRetryRequest was read.
  var isClientHelloRepeated: Bool {
    switch self {
    case .awaitingServerHello(let isRepeated), .tls12(let isRepeated): isRepeated
    case .helloRetryRequest, .tls13: false
    }
  }

  /// Records a further ClientHello.
  mutating func repeatClientHello() {
    switch self {
    case .awaitingServerHello: self = .awaitingServerHello(isClientHelloRepeated: true)
    case .helloRetryRequest: self = .helloRetryRequest(isAnswered: true)
    case .tls12, .tls13: break
    }
  }

  /// Records a ServerHello.
  mutating func choose(isTLS13: Bool, isHelloRetryRequest: Bool) {
    if isHelloRetryRequest {
      if case .helloRetryRequest = self { return }
      self = .helloRetryRequest(isAnswered: false)
    } else if isTLS13 {
      self = .tls13
    } else {
      self = .tls12(isClientHelloRepeated: isClientHelloRepeated)
    }
  }
}

/// The client's progress after its hello.
enum ClientState {
  /// The client has not sent its Finished.
  case handshaking
  /// The client offered early data and sent a protected record after the ServerHello, or before it was read: its Finished, or early data.
  case mayHaveFinished
  /// The client sent a protected record that can be its Finished or application data.
  case finished
  /// The client sent application data after its Finished, up to TLS 1.2.
  case sentData
  /// The client seems to have refused, with an encrypted alert that is recognized only by its length.
  case refused

  /// Whether the client sent its Finished; false after an apparent refusal.
  var hasFinished: Bool {
    switch self {
    case .finished, .sentData: true
    case .handshaking, .mayHaveFinished, .refused: false
    }
  }
}

/// The server's progress after its hello.
enum ServerState {
  /// The server has not sent its Finished.
  case handshaking(ServerFlight)
  /// The server sent a protected record that can be its Finished. `isRead` is whether the Finished was decrypted.
  case finished(ServerFlight, isRead: Bool)

  var hasFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether its Finished was decrypted. A message that was not read before that was not sent.
  var isFinishedRead: Bool {
    if case .finished(_, isRead: true) = self { true } else { false }
  }

  /// Its cleartext messages up to TLS 1.2.
  var flight: ServerFlight {
    get {
      switch self {
      case .handshaking(let flight), .finished(let flight, _): flight
      }
    }
    set {
      switch self {
      case .handshaking: self = .handshaking(newValue)
      case .finished(_, let isRead): self = .finished(newValue, isRead: isRead)
      }
    }
  }

  mutating func finish(isRead: Bool) { self = .finished(flight, isRead: isRead || isFinishedRead) }
}

/// The progress of the server's first flight, up to TLS 1.2 (RFC 5246 §7.3).
enum ServerFlight {
  /// No message after the hello shows whether the session is resumed.
  case begun
  /// A message was sent that occurs only in a full handshake.
  case full
  /// The client sent its second flight, but the end of the server's flight was not captured.
  case followed
  /// ServerHelloDone was sent.
  case done
  /// The server sent ChangeCipherSpec. `isFull` if a message that occurs only in a full handshake preceded it.
  case changedCipherSpec(isFull: Bool)

  /// Whether a message of either side shows that the session is not resumed.
  var isFull: Bool {
    switch self {
    case .begun, .changedCipherSpec(isFull: false): false
    case .full, .followed, .done, .changedCipherSpec(isFull: true): true
    }
  }

  /// Whether the flight is over: the server ended it, or the client answered it.
  var isOver: Bool {
    switch self {
    case .begun, .full: false
    case .followed, .done, .changedCipherSpec: true
    }
  }

  /// Whether the end was captured in the server's own direction, so that no later gap hides part of the flight.
  var isEndSeen: Bool {
    switch self {
    case .begun, .full, .followed: false
    case .done, .changedCipherSpec: true
    }
  }

  var hasChangedCipherSpec: Bool {
    if case .changedCipherSpec = self { true } else { false }
  }

  /// Records a server message that occurs only in a full handshake.
  mutating func noteFullHandshake() {
    switch self {
    case .begun: self = .full
    case .changedCipherSpec: self = .changedCipherSpec(isFull: true)
    case .full, .followed, .done: break
    }
  }

  /// Records a message of the client's second flight in a full handshake.
  mutating func noteClientFlight() {
    noteFullHandshake()
    if case .full = self { self = .followed }
  }

  mutating func noteServerHelloDone() {
    noteFullHandshake()
    if !isEndSeen { self = .done }
  }

  mutating func noteChangeCipherSpec() { self = .changedCipherSpec(isFull: isFull) }
}

/// The server's means of authentication.
enum ServerCredential {
  /// The key of its certificate.
  case certificate
  /// The key of a delegated credential (RFC 9345).
  case delegatedCredential
  /// A raw public key instead of certificates (RFC 7250).
  case rawPublicKey
}

/// The endpoint that is the client, as far as known.
enum ClientEndpoint {
  case unknown
  /// Inferred from an alert, before anything else shows it.
  case inferred(Direction)
  /// Shown by a hello, or by the SYN.
  case known(Direction)

  /// The direction in which the client sends; nil if unknown.
  var direction: Direction? {
    switch self {
    case .unknown: nil
    case .inferred(let direction), .known(let direction): direction
    }
  }
}

/// The first FIN or RST before the handshake was complete.
struct Closing {
  /// The direction of the endpoint that closed.
  var direction: Direction
  var isByReset: Bool
  /// Its packet; if the capture lacks it, the last one that it may have been.
  var frame: UInt64
  /// Whether the capture contains its packet.
  var isSeen = true
  /// The number of bytes that its sender had acknowledged and that are still to be read: they were sent before, and captured after it.
  var unreadByteCount = 0
  /// Whether the other endpoint responded to a FIN with an alert that only reports the close.
  var isAnsweredByAlert = false
}
