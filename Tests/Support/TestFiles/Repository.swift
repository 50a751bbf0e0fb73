package import Foundation

/// The files of this repository, for tests that may start in any directory.
package enum Repository {
  /// The folder of the package, with symbolic links resolved.
  package static let root = URL(filePath: #filePath).resolvingSymlinksInPath().appending(path: "../../../..")
    .standardizedFileURL

  /// Returns the path of a file, such as `captures/demo/demo.pcapng`.
  package static func path(_ name: String) -> String { root.appending(path: name).path(percentEncoded: false) }
}
