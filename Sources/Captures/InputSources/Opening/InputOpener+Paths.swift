public import CaptureFormats

extension InputOpener {
  /// Opens the file of this path, or the standard input for `-`, to have its bytes as they are stored.
  public func openAsStored(path: String) throws(InputError) -> any ByteSource {
    try openAsStored(InputFile(argument: path))
  }
}
