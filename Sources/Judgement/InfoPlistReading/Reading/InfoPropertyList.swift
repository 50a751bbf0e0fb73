package import ByteParsing
package import PolicyResolution
package import PropertyLists

/// The parts of an Info.plist that concern ATS.
package struct InfoPropertyList: Sendable {
  package let application: AppInformation

  /// NSAppTransportSecurity as the system reads it; nil if it is absent or not a dictionary.
  package let ats: ATSDictionary?

  /// The settings that are not read, with the reasons, in the order of the file.
  package let ignored: [IgnoredSetting]

  /// Whether the undocumented SecTrustPinningRequired is true (policy text B.12).
  package let isPinningRequired: Bool

  package let root: PropertyListDictionary

  /// Reads an Info.plist in the binary or the XML format.
  package init(reading bytes: Bytes) throws(PropertyListError) {
    try self.init(root: PropertyList(reading: bytes).root)
  }

  /// Reads the root of an Info.plist. Throws if it is not a dictionary.
  package init(root: PropertyListValue) throws(PropertyListError) {
    guard let dictionary = root.dictionary else {
      throw PropertyListError(.malformed("an Info.plist contains a dictionary, not \(root.typeName)"), at: .whole)
    }
    self.init(dictionary)
  }

  /// Reads the root of an Info.plist.
  package init(_ dictionary: PropertyListDictionary) {
    var reader = ATSReader()
    ats = reader.readRoot(dictionary)
    ignored = reader.ignored
    isPinningRequired = dictionary[ATSKeys.pinningRequired].flatMap { ATSReader.boolean($0) } ?? false
    application = AppInformation(dictionary)
    root = dictionary
  }
}
