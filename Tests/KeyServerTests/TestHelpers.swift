import HTTPTypes
import HummingbirdCore
import NIOCore

@testable import KeyServer

extension Response {
    /// The body.
    var bytes: [UInt8] {
        get async throws {
            let collector = Collector()
            try await body.write(collector)
            return collector.bytes
        }
    }

    /// The body as text.
    var text: String {
        get async throws { String(decoding: try await bytes, as: UTF8.self) }
    }
}

/// Returns the problem that `read` throws, if any.
func problem<Value>(_ read: () throws(ProblemDocument) -> Value) -> ProblemDocument? {
    do throws(ProblemDocument) {
        _ = try read()
        return nil
    } catch { return error }
}

private final class Collector: ResponseBodyWriter {
    var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) async throws { bytes += Array(buffer: buffer) }

    func finish(_: HTTPFields?) async throws {}
}
