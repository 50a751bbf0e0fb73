/// The error of a property list that cannot be parsed: the reason and the position.
package struct PropertyListError: Error, Hashable, Sendable {
  package enum Position: Hashable, Sendable {
    /// The offset of a byte in the file, from 0.
    case byte(Int)
    /// A line of the file, from 1.
    case line(Int)
    case whole
  }

  /// A quantity that ``PropertyListLimits`` limits.
  package enum Limited: String, Hashable, Sendable {
    /// Bytes of the file.
    case bytes = "bytes"
    /// Levels of nested containers.
    case depth = "levels of nesting"
    case objects = "values"
    /// Bytes of text and data.
    case content = "bytes of text and data"
  }

  package enum Reason: Hashable, Sendable {
    /// The file has no content.
    case empty
    /// The file is not a property list.
    case unknownFormat
    /// The file is an ASCII property list in the NeXTSTEP format.
    case oldStyle
    /// The file ends within a value.
    case truncated
    /// An object of the binary format contains itself.
    case cycle(object: Int)
    /// The file declares or uses entities, or declares types itself.
    case entity
    /// A limit of this program was exceeded.
    case limit(Limited, Int)
    /// The file violates a rule of its format, which the text states.
    case malformed(String)
  }

  package var reason: Reason

  package var position: Position

  package init(_ reason: Reason, at position: Position) {
    self.reason = reason
    self.position = position
  }
}

extension PropertyListError: CustomStringConvertible {
  /// One line for users, such as `line 3: the dictionary has a key without a value`.
  package var description: String {
    let what =
      switch reason {
      case .empty: "the file is empty"
      case .unknownFormat: "not a property list: neither binary nor XML"
      case .oldStyle:
        "neither an XML nor a binary property list; `plutil -convert xml1` converts an old-style one or JSON"
      case .truncated: "the property list is truncated"
      case .cycle(let object): "object \(object) contains itself"
      case .entity: "declarations in the document type and entities are refused"
      case .limit(let limited, let limit): "more than \(limit) \(limited.rawValue)"
      case .malformed(let text): text
      }
    return switch position {
    case .byte(let offset): "byte \(offset): \(what)"
    case .line(let line): "line \(line): \(what)"
    case .whole: what
    }
  }
}
