package import Values

extension DNSMessage {
  /// An address, and the name whose resolution returned it.
  package struct NamedAddress: Hashable, Sendable {
    package var address: IPAddress

    /// The first name of the alias chain that leads to the address.
    package var name: DomainName
  }

  /// The maximum number of aliases followed back from an address.
  package static let maximumAliasCount = 16

  /// The maximum number of addresses taken from one message.
  package static let maximumNamedAddressCount = 256

  /// The addresses in a successful response, each with the name that a client probably requested.
  ///
  /// Aliases are followed back to their beginning, so that an address of a content delivery network has the name of the site and not that
  /// of the network. Address hints of service bindings count as addresses of the service.
  package var namedAddresses: [NamedAddress] {
    guard isResponse, operation == 0, responseCode == 0 else { return [] }
    let records = answers + additional
    var origins: [DomainName: DomainName] = [:]
    for record in records {
      switch record.content {
      case .alias(let target):
        if origins[target] == nil { origins[target] = record.name }
      case .service(let binding) where !binding.target.text.isEmpty:
        if origins[binding.target] == nil { origins[binding.target] = record.name.withoutServicePrefix }
      default:
        break
      }
    }
    func origin(of name: DomainName) -> DomainName {
      var name = name
      for _ in 0..<Self.maximumAliasCount {
        guard let earlier = origins[name], earlier != name else { return name }
        name = earlier
      }
      return name
    }
    var found: [NamedAddress] = []
    var known: Set<NamedAddress> = []
    func add(_ address: IPAddress, _ name: DomainName) {
      guard found.count < Self.maximumNamedAddressCount else { return }
      let named = NamedAddress(address: address, name: origin(of: name))
      if !named.name.text.isEmpty, known.insert(named).inserted { found.append(named) }
    }
    for record in records {
      switch record.content {
      case .address(let address): add(address, record.name)
      case .service(let binding):
        for address in binding.addressHints { add(address, record.name.withoutServicePrefix) }
      default: break
      }
    }
    return found
  }
}

extension DomainName {
  /// The name after labels such as `_8443._https`, which identify the service (RFC 9460 §9.1).
  var withoutServicePrefix: DomainName {
    var rest = text[...]
    while rest.first == 0x5F, let dot = rest.firstIndex(of: 0x2E) { rest = rest[(dot + 1)...] }
    return rest.isEmpty ? self : DomainName(text: .init(rest))
  }
}
