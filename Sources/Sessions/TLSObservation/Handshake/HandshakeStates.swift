import Values

/// What the hellos have settled (RFC 8446 §4.1, RFC 5246 §7.4.1).
enum Negotiation {
  /// No ServerHello has been read. A client repeats its hello only after a HelloRetryRequest, whether or not the capture has it.
  case awaitingServerHello(isClientHelloRepeated: Bool)
  /// The server's last hello is a HelloRetryRequest; the second ClientHello has been read or not.
  case helloRetryRequest(isAnswered: Bool)
  /// The server chose TLS 1.2 or earlier. After a repeated ClientHello it is not certain which one the server answers.
  case tls12(isClientHelloRepeated: Bool)
  /// The server chose TLS 1.3, drafts included.
  case tls13

  /// Whether the server speaks TLS 1.3, as only such a server sends a HelloRetryRequest.
  var isTLS13: Bool {
    switch self {
    case .tls13, .helloRetryRequest: true
    case .awaitingServerHello, .tls12: false
    }
  }

  /// Whether the server may still send the ServerHello that counts.
  var awaitsServerHello: Bool {
    switch self {
    case .awaitingServerHello, .helloRetryRequest: true
    case .tls12, .tls13: false
    }
  }

  /// Whether no hello of the server has been read.
  var isAwaitingFirstServerHello: Bool {
    if case .awaitingServerHello = self { true } else { false }
  }

  /// Whether the client repeated its hello before a hello of the server was read.
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

/// How far the client has come after its hello.
enum ClientState {
  /// It has not sent its Finished.
  case handshaking
  /// It sent a protected record before the ServerHello was read: its Finished, or early data.
  case mayHaveFinished
  /// It sent a protected record that can be its Finished or application data.
  case finished
  /// It sent application data after its Finished, up to TLS 1.2.
  case sentData
  /// It seems to have refused, with an encrypted alert that only its length shows.
  case refused

  /// Whether it sent its Finished, unless that was not a refusal.
  var hasFinished: Bool {
    switch self {
    case .finished, .sentData: true
    case .handshaking, .mayHaveFinished, .refused: false
    }
  }
}

/// How far the server has come after its hello.
enum ServerState {
  /// It has not sent its Finished.
  case handshaking(ServerFlight)
  /// It sent a protected record that can be its Finished, or `isRead`: the Finished was decrypted.
  case finished(ServerFlight, isRead: Bool)

  var hasFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether its Finished was decrypted: a message that was not read before it was not sent.
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

/// How far the server's first flight has come, up to TLS 1.2 (RFC 5246 §7.3).
enum ServerFlight {
  /// Nothing after the hello shows whether the session is resumed.
  case begun
  /// A message was sent that only a full handshake has.
  case full
  /// The client sent its second flight; the end of the server's flight was not seen.
  case followed
  /// ServerHelloDone was sent.
  case done
  /// The server sent ChangeCipherSpec, after a message that only a full handshake has or without one.
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

  /// Whether the end was seen in the server's own direction, so that no later gap hides a part of it.
  var isEndSeen: Bool {
    switch self {
    case .begun, .full, .followed: false
    case .done, .changedCipherSpec: true
    }
  }

  /// Whether the server sent ChangeCipherSpec.
  var hasChangedCipherSpec: Bool {
    if case .changedCipherSpec = self { true } else { false }
  }

  /// Records a message of the server that only a full handshake has.
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

  /// Records the ServerHelloDone.
  mutating func noteServerHelloDone() {
    noteFullHandshake()
    if !isEndSeen { self = .done }
  }

  /// Records the server's ChangeCipherSpec.
  mutating func noteChangeCipherSpec() { self = .changedCipherSpec(isFull: isFull) }
}

/// What the server proves its identity with.
enum ServerCredential {
  /// The key of its certificate.
  case certificate
  /// The key of a delegated credential (RFC 9345).
  case delegatedCredential
  /// A raw public key in place of certificates (RFC 7250).
  case rawPublicKey
}

/// Which endpoint is the client.
enum ClientEndpoint {
  case unknown
  /// Inferred from an alert, before anything else shows it.
  case inferred(Direction)
  /// Shown by a hello, or by the SYN.
  case known(Direction)

  /// The direction in which the client sends.
  var direction: Direction? {
    switch self {
    case .unknown: nil
    case .inferred(let direction), .known(let direction): direction
    }
  }
}

/// The first FIN or RST before the handshake was over.
struct Closing {
  /// The direction of the endpoint that closed.
  var direction: Direction
  var isByReset: Bool
  var frame: UInt64
  /// Whether the other endpoint answered a FIN with an alert that only says so.
  var isAnsweredByAlert = false
}
