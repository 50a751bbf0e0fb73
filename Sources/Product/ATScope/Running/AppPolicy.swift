import ByteParsing
import Crypto
import InfoPlistReading
import InputSources
public import PolicyResolution
import PropertyLists
import SessionRecords

/// The ATS settings of an app, read from its Info.plist.
public struct AppPolicy: Sendable {
  /// The file as it was named.
  public let file: String

  /// SHA-256 of the file, 64 hexadecimal digits.
  public let sha256: String

  /// NSAppTransportSecurity; nil where the file has none, which is the same as the defaults.
  public let dictionary: ATSDictionary?

  /// CFBundleExecutable; nil where the file does not say.
  public let executable: String?

  /// The SDK that the app was linked with; nil where the file does not name a known one.
  public let sdk: SystemRelease?

  /// Settings that the system does not read, each with the reason, as sentences.
  public let ignored: [String]

  /// The longest Info.plist that is read: hundreds of times any real one.
  public static let lengthLimit = 16 * 1024 * 1024

  /// Reads an Info.plist, XML or binary; `-` is the standard input.
  public init(reading file: String) throws(AuditError) {
    let bytes: Bytes
    do throws(InputError) {
      bytes = try FileContents.read(file, limit: AppPolicy.lengthLimit)
    } catch {
      throw AuditError("\(DisplayText.escaped(file)): \(error.explanation)")
    }
    do throws(PropertyListError) {
      let list = try InfoPropertyList(reading: bytes)
      dictionary = list.ats
      executable = list.application.executable
      sdk = list.application.sdk
      ignored = list.ignored.map { DisplayText.escaped("\($0)") }
    } catch {
      throw AuditError("\(DisplayText.escaped(file)): not a usable Info.plist: \(error)")
    }
    self.file = file
    sha256 = hexadecimal(SHA256.hash(data: bytes))
  }
}

/// The job cannot be done; one line for people.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is the matter.
  public let description: String

  /// Creates an error that says so.
  public init(_ description: String) { self.description = description }
}
