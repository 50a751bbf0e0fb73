package import ByteParsing
package import PolicyResolution
package import PropertyLists

/// An Info.plist as far as ATS is concerned.
package struct InfoPropertyList: Sendable {
  package let application: AppInformation

  /// NSAppTransportSecurity as the system reads it; nil if it is absent or no dictionary.
  package let ats: ATSDictionary?

  /// What of it is not read and why, in the order of the file.
  package let ignored: [IgnoredSetting]

  /// Whether the undocumented SecTrustPinningRequired is true (policy text B.12).
  package let isPinningRequired: Bool

  package let root: PropertyListDictionary

  /// Reads the bytes of an Info.plist, binary or XML.
  package init(reading bytes: Bytes) throws(PropertyListError) {
    try self.init(root: PropertyList(reading: bytes).root)
  }

  /// Takes the root of an Info.plist, which must be a dictionary.
  package init(root: PropertyListValue) throws(PropertyListError) {
    guard let dictionary = root.dictionary else {
      throw PropertyListError(
        .malformed("an Info.plist contains a dictionary, not \(root.typeName)"), at: .whole)
    }
    var reader = ATSReader()
    ats = reader.readRoot(dictionary)
    ignored = reader.ignored
    isPinningRequired = dictionary[ATSKeys.pinningRequired].flatMap { ATSReader.boolean($0) } ?? false
    application = AppInformation(dictionary)
    self.root = dictionary
  }
}
