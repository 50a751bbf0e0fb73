public import ByteParsing
import CaptureFormats
import CommandReports
import InputSources
import Reporting
import SessionModel
public import SessionReading
import SessionRecords
import Values

/// Copies a capture as pcapng and adds comments with verdicts and findings to the packets that prove them. They replace those of an earlier
/// annotation.
///
/// The capture is read by two readers in step: the copy follows the audit up to the first packet of the session that is judged last, since
/// all comments before it are known then. Memory does not grow with the capture.
public struct Annotation: Sendable {
  /// The counts of packets and comments written, and the outcome of the audit.
  public struct Counts: Sendable {
    /// The outcome of the audit.
    public internal(set) var outcome = RunOutcome()

    /// The size of the copy in bytes; 0 if no input could be opened.
    public internal(set) var bytes: UInt64 = 0

    /// The number of packets copied.
    public internal(set) var packets: UInt64 = 0

    /// The number of comments added.
    public internal(set) var comments: UInt64 = 0

    /// The number of sessions that the comments are about.
    public internal(set) var sessions = 0

    /// The number of comments of earlier annotations that were replaced.
    public internal(set) var replacedComments: UInt64 = 0

    /// The number of comments omitted because their blocks cannot have any, such as Simple Packet Blocks.
    public internal(set) var omittedComments: UInt64 = 0

    /// The number of comments omitted because their packets were copied before the session was judged.
    public internal(set) var lateComments: UInt64 = 0

    /// Whether the copy is incomplete because reading was interrupted.
    public internal(set) var wasInterrupted = false
  }

  private let options: AuditOptions
  private let files: [InputFile]

  /// Finds the capture among the inputs. Throws unless they are exactly one, in one file or in the files of a rotation, that can be read
  /// twice.
  public init(_ options: AuditOptions) throws(AuditError) {
    self.options = options
    let found = options.find()
    if let all = Annotation.partsOfOne(found.groups) {
      files = all
    } else {
      let names = found.groups.compactMap { $0.files.first?.displayName }.map(DisplayText.escaped)
      throw AuditError(
        "annotate writes one capture, but the inputs contain \(found.groups.count) (\(names.abbreviated(to: 3))). "
          + "Annotate each by itself; unpack an archive of several")
    }
    for file in files {
      guard file.size != nil else {
        throw AuditError(file: file.displayName, "cannot be read twice, as annotate requires; save it to a file")
      }
      if let opened = try? file.open(), opened.kind == .savedSessions {
        throw AuditError(file: file.displayName, "saved sessions contain no packets: give the capture itself")
      }
    }
  }

  /// The files of the only capture; nil if there are several. Files of a rotation without packets, which are read as captures of their own,
  /// have no frame numbers, and so can follow the others.
  private static func partsOfOne(_ groups: [InputGroup]) -> [InputFile]? {
    guard groups.count > 1 else { return groups.first?.files ?? [] }
    let series = groups.filter(\.isSeries)
    let others = groups.filter { !$0.isSeries }.flatMap(\.files)
    guard series.count == 1, others.allSatisfy(hasNoPackets) else { return nil }
    return series[0].files + others
  }

  private static func hasNoPackets(_ file: InputFile) -> Bool {
    guard file.size != nil, var reader = file.captureReader(InputOpener()) else { return false }
    do throws(CaptureError) {
      return try reader.next() == nil
    } catch {
      return false
    }
  }

  /// Audits the capture and writes the copy through `write`. Reading ends if `write` throws.
  public func write<Failure: Error>(to write: @escaping (Bytes) throws(Failure) -> Void) throws(Failure) -> Counts {
    let first = FirstFailure<Failure>()
    let result = self.write(while: first.catching(write))
    try first.rethrow()
    return result
  }

  /// Audits the capture and writes the copy through `write`, which returns false once its reader is gone.
  package func write(while write: @escaping (Bytes) -> Bool) -> Counts {
    var keyLogs = KeyLogs()
    keyLogs.read(options.reading.keyLogs)
    var sink = AnnotationSink(options, keyLogs, AnnotatedCopy(files, write))
    let outcome = Audit.read(options, keyLogs: keyLogs, into: &sink)
    if options.reading.isInterrupted?() == true { return Counts(outcome: outcome, wasInterrupted: true) }
    sink.copy.finish()
    var result = sink.copy.counts
    result.outcome = outcome
    result.sessions = sink.sessions
    return result
  }
}

/// Judges sessions and hands their comments to the copy.
private struct AnnotationSink: SessionSink, ~Copyable {
  var copy: AnnotatedCopy
  var sessions = 0
  private var judge: ProgramJudges
  private let choice: SessionChoice
  private let run: RunRecord
  /// The key logs.
  private var summary = SummaryRecord()

  init(_ options: AuditOptions, _ keyLogs: KeyLogs, _ copy: consuming AnnotatedCopy) {
    self.copy = copy
    run = options.runRecord("annotate", .text)
    summary.inputs = keyLogs.inputs
    judge = ProgramJudges(options.judging)
    choice = SessionChoice(options)
  }

  var warning: String? { judge.warning(for: choice) }

  mutating func take(_ session: ObservedSession) throws(ReadingEnded) {
    let judgement = judge.judge(session)
    guard choice.takes(session) else { return }
    sessions += 1
    let steps = NextSteps(session, isTimeStated: Wording.isTimeStated(in: run))
    let comments = PacketComments.comments(of: session, judgement, steps)
    if sessions == 1, let first = comments.first { copy.add(PacketComments.comment(on: run, summary, at: first.frame)) }
    for comment in comments { copy.add(comment) }
    // Sessions come in the order of their first packets: what is still to come concerns no packet before this one.
    guard copy.advance(before: session.firstFrame) else { throw ReadingEnded() }
  }
}

/// The comments on packets that are not copied yet.
private final class PendingComments {
  var comments: [UInt64: [String]] = [:]

  /// Removes the comments on a packet and returns them.
  func remove(at frame: UInt64) -> [String] {
    comments.isEmpty ? [] : comments.removeValue(forKey: frame) ?? []
  }
}

/// The copy of a capture's files, one after another, with comments.
private struct AnnotatedCopy: ~Copyable {
  /// The counts so far.
  var counts = Annotation.Counts()

  private var files: ArraySlice<InputFile>
  private let opener = InputOpener()
  private var copier: CaptureCopier?

  /// The number of frames in the files before the current one, and the number of the last frame copied.
  private var framesBefore: UInt64 = 0
  private var lastFrame: UInt64 = 0

  private let pending = PendingComments()

  private var output = Bytes()
  private let write: (Bytes) -> Bool
  private var isWanted = true

  private static let chunk = 1 << 20

  init(_ files: [InputFile], _ write: @escaping (Bytes) -> Bool) {
    self.files = files[...]
    self.write = write
  }

  mutating func add(_ comment: PacketComments.Comment) {
    if comment.frame <= lastFrame {
      counts.lateComments += 1
    } else {
      pending.comments[comment.frame, default: []].append(comment.text)
    }
  }

  /// Copies the packets before a frame; returns false once the caller wants no further output.
  mutating func advance(before frame: UInt64) -> Bool {
    while lastFrame &+ 1 < frame, isWanted, copyNext() {}
    return isWanted
  }

  /// Copies the remaining packets.
  mutating func finish() {
    while isWanted, copyNext() {}
    flush()
    // Comments remain if the capture has become shorter since the audit read it.
    counts.lateComments += UInt64(pending.comments.values.reduce(0) { $0 + $1.count })
  }

  /// Copies a block or opens the next file; returns false after the last file.
  private mutating func copyNext() -> Bool {
    if copier == nil { return openNext() }
    let (before, pending) = (framesBefore, pending)
    let isCopied = (try? copier?.copyNext(to: &output) { pending.remove(at: before &+ $0) }) ?? false
    lastFrame = framesBefore &+ (copier?.frameCount ?? 0)
    if output.count >= AnnotatedCopy.chunk { flush() }
    if !isCopied { closeCurrent() }
    return true
  }

  private mutating func flush() {
    counts.bytes += UInt64(output.count)
    isWanted = isWanted && write(output)
    output.removeAll(keepingCapacity: true)
  }

  /// Adds the counts of the current file and closes it.
  private mutating func closeCurrent() {
    counts.comments += UInt64(copier?.added ?? 0)
    counts.omittedComments += UInt64(copier?.leftOut ?? 0)
    counts.replacedComments += UInt64(copier?.removed ?? 0)
    counts.packets += copier?.packetCount ?? 0
    framesBefore = lastFrame
    copier = nil
  }

  private mutating func openNext() -> Bool {
    while let file = files.popFirst() {
      // The outcome of the audit reports files that cannot be opened or read completely.
      guard let opened = try? opener.open(file), case .capture = opened.kind else { continue }
      do throws(CaptureError) {
        let next = try CaptureCopier(
          opened.source, application: "atscope \(Audit.version)", isReplaced: PacketComments.isComment)
        copier = consume next
        return true
      } catch {
        continue
      }
    }
    return false
  }
}
