import FileWriting
import Foundation
import ToolSupport

/// A line of the trace: a JSON object for each request, for evaluation by scripts.
struct LoadTraceLine: Encodable {
    /// The times at which the request was sent and the response received, in seconds since 1970.
    var sent: Double
    var received: Double
    var account: String
    /// The number of the device within the account.
    var device: Int
    /// The session ID, in hexadecimal.
    var session: String
    var asset: String
    /// `start`, `renewal`, or `retry`, which sends the same SPC again.
    var kind: String
    /// The HTTP status; 0 if there was no response.
    var status: Int
    var requestId: String?
    /// The problem type, or the reason why there was no response.
    var problem: String?
    /// The reason of a refusal.
    var reason: String?
    /// The lease in the CKC, in seconds; nil if the CKC was not opened or has no lease.
    var lease: Int64?
}

/// A writer of trace lines. It must be used from one thread at a time.
final class LoadTrace {
    private let file: OutputFile
    private let encoder = JSONEncoder()
    private var buffer: [UInt8] = []
    private let bufferSize: Int
    private var hasFailed = false

    /// Creates the file. A `bufferSize` of 0 writes every line immediately.
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

    /// Writes the content of the buffer.
    func flush() {
        do { try file.write(buffer) } catch { hasFailed = true }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the buffer, and closes the file.
    ///
    /// - Throws: An error if any line could not be written.
    func finish() throws(CommandFailure) {
        flush()
        do { try file.finish() } catch { hasFailed = true }
        guard !hasFailed else {
            throw .file("the trace is incomplete", next: "check the free space on its disk")
        }
    }
}
