import Foundation
import TestFiles
import Testing

@testable import ATScopeCommand

#if canImport(Glibc)
  import Glibc
#endif

/// Tests the rights that Landlock removes from a process; systems without it remove none.
@Suite struct SandboxTests {
  @Test(arguments: [
    (Int32(1), UInt64(0x1FFF), UInt64(0), UInt64(0), UInt(8)), (2, 0x3FFF, 0, 0, 8), (3, 0x7FFF, 0, 0, 8),
    (4, 0x7FFF, 3, 0, 16), (5, 0xFFFF, 3, 0, 16), (6, 0xFFFF, 3, 3, 24), (99, 0xFFFF, 3, 3, 24),
  ])
  func `only rights that the kernel's Landlock version supports are requested`(
    version: Int32, files: UInt64, network: UInt64, scopes: UInt64, byteCount: UInt
  ) {
    let rights = LandlockRights(version: version, readsAnything: false)
    #expect(rights?.files == files)
    #expect(rights?.network == network)
    #expect(rights?.scopes == scopes)
    #expect(rights?.byteCount == byteCount)
    let withoutReads = LandlockRights(version: version, readsAnything: true)
    #expect(withoutReads?.files == files & ~LandlockRights.reading)
  }

  @Test func `without Landlock there are no rights to remove`() {
    #expect(LandlockRights(version: 0, readsAnything: false) == nil)
    #expect(LandlockRights(version: -1, readsAnything: false) == nil)
  }

  #if canImport(Glibc)
    /// The error of opening a file, or 0 for none.
    private static func errorOfOpening(_ path: String, _ flags: Int32) -> Int32 {
      let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return errno }
      _ = close(descriptor)
      return 0
    }

    /// The error of a TCP connection to a local port without a listener.
    private static func errorOfConnecting() -> Int32 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { _ = close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(9).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
      }
      return status == 0 ? 0 : errno
    }

    /// Runs on a separate thread, the only one that Landlock restricts.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
      await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
      }
    }

    @Test(.enabled(if: Sandbox.name != "none", "this kernel has no Landlock"))
    func `only inputs can be read and only outputs written`() async throws {
      let folder = try TemporaryFolder()
      for name in ["in", "out", "other"] { try folder.write(name + "/file", "x") }
      let path = folder.path
      let errors = await Self.onThread { () -> [Int32] in
        guard Sandbox.enter(reading: [path + "/in", path + "/missing"], writing: [path + "/out"]) else {
          return []
        }
        return [
          Self.errorOfOpening(path + "/in/file", O_RDONLY), Self.errorOfOpening(path + "/missing", O_RDONLY),
          Self.errorOfOpening(path + "/other/file", O_RDONLY), Self.errorOfOpening("/etc/passwd", O_RDONLY),
          Self.errorOfOpening(path + "/in/file", O_WRONLY),
          Self.errorOfOpening(path + "/in/new", O_WRONLY | O_CREAT),
          Self.errorOfOpening(path + "/out/new", O_WRONLY | O_CREAT | O_EXCL),
          Self.errorOfOpening(path + "/out/file", O_RDONLY),
          Self.errorOfConnecting(),
        ]
      }
      let version = Sandbox.name.split(separator: " ").last.flatMap { Int($0) } ?? 0
      let refused = version >= 4 ? EACCES : ECONNREFUSED
      #expect(errors == [0, ENOENT, EACCES, EACCES, EACCES, EACCES, 0, EACCES, refused])
      // Only that thread is restricted.
      #expect(Self.errorOfOpening(path + "/other/file", O_RDONLY) == 0)
    }

    @Test(.enabled(if: Sandbox.name != "none", "this kernel has no Landlock"))
    func `with inputs from a list all files can be read, but only outputs written`() async throws {
      let errors = await Self.onThread { () -> [Int32] in
        guard Sandbox.enter(reading: nil, writing: []) else { return [] }
        return [
          Self.errorOfOpening("/etc/passwd", O_RDONLY),
          Self.errorOfOpening("/tmp/atscope-\(getpid())-never", O_WRONLY | O_CREAT),
        ]
      }
      #expect(errors == [0, EACCES])
    }
  #endif
}
