/// A property list could not be read: why, and where.
package struct PropertyListError: Error, Hashable, Sendable {
  package enum Position: Hashable, Sendable {
    /// A byte of the file, counted from 0.
    case byte(Int)
    /// A line of the file, counted from 1.
    case line(Int)
    case whole
  }

  /// Something that has a limit in ``PropertyListLimits``.
  package enum Limited: String, Hashable, Sendable {
    /// Bytes of the file.
    case bytes = "bytes"
    /// Containers within containers.
    case depth = "levels of nesting"
    case objects = "values"
    /// Bytes of text and data.
    case content = "bytes of text and data"
  }

  package enum Reason: Hashable, Sendable {
    /// The file has no content.
    case empty
    /// Not a property list.
    case unknownFormat
    /// It is an ASCII property list, as NeXTSTEP wrote them.
    case oldStyle
    /// It ends within a value.
    case truncated
    /// An object of the binary format contains itself.
    case cycle(object: Int)
    /// It declares or uses entities, or declares types in the file itself.
    case entity
    /// A limit of ours was reached.
    case limit(Limited, Int)
    /// It breaks a rule of its format; the text says which.
    case malformed(String)
  }

  package var reason: Reason

  /// Where.
  package var position: Position

  package init(_ reason: Reason, at position: Position) {
    self.reason = reason
    self.position = position
  }
}

extension PropertyListError: CustomStringConvertible {
  /// One line for people, such as `line 3: the dictionary has a key without a value`.
  package var description: String {
    let what =
      switch reason {
      case .empty: "the file is empty"
      case .unknownFormat: "not a property list: neither binary nor XML"
      case .oldStyle:
        "an ASCII (old-style) property list or JSON; only XML and binary property lists are read: "
          + "`plutil -convert xml1` converts it"
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
