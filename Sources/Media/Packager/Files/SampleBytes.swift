/// Bytes that contain samples: a mapped input, or bytes collected by a demuxer. They are immutable, and remain at their
/// address for the lifetime of the object.
package protocol SampleBytes: AnyObject, Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Calls a closure with the bytes.
    func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R
}

/// Bytes collected by a demuxer: of a PES packet, or of a chunk read from a pipe.
package final class BufferedBytes: SampleBytes {
    private let bytes: [UInt8]

    /// Wraps an array.
    package init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    package var count: Int { bytes.count }

    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { try body($0.bytes) }
    }
}
