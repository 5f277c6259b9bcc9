import FileWriting
import Foundation

/// One line of JSON for each request, for scripts that judge a server afterwards.
struct LoadTraceLine: Encodable {
    /// When the request was sent and when its answer was there, in seconds since 1970.
    var sent: Double
    var received: Double
    var account: String
    /// The device's number among the account's.
    var device: Int
    /// The session ID, in hexadecimal.
    var session: String
    var asset: String
    /// `start`, `renewal`, or `retry`: the same SPC once more.
    var kind: String
    /// The HTTP status; 0 where no answer came.
    var status: Int
    var requestId: String?
    /// The problem's type, or what happened instead of an answer.
    var problem: String?
    /// The rule that refused.
    var reason: String?
    /// The lease in the CKC, in seconds; only where the CKC was opened and has one.
    var lease: Int64?
}

/// Writes trace lines. All from one thread or event loop at a time, or under the caller's lock.
final class LoadTrace {
    private let file: OutputFile
    private let encoder = JSONEncoder()
    private var buffer: [UInt8] = []
    private let bufferSize: Int
    private var hasFailed = false

    /// Begins a file. `bufferSize` 0 writes every line at once.
    init(path: String, bufferSize: Int) throws(CommandFailure) {
        file = try OutputFile.open(path, visibility: .inPlace)
        self.bufferSize = bufferSize
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Writes a line.
    func write(_ line: LoadTraceLine) {
        guard let data = try? encoder.encode(line) else { return }
        buffer += data
        buffer.append(0x0a)
        if buffer.count > bufferSize { flush() }
    }

    /// Writes what is still in the buffer.
    func flush() {
        do { try file.write(buffer) } catch { hasFailed = true }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest.
    ///
    /// - Throws: when a line was ever lost.
    func finish() throws(CommandFailure) {
        flush()
        do { try file.finish() } catch { hasFailed = true }
        guard !hasFailed else {
            throw .file("the trace could not be written whole", next: "look for room on its disk")
        }
    }
}
