/// Bytes in which samples lie: a mapped input, or what a demuxer gathered. They stay where they are, and do not change,
/// as long as somebody holds them.
package protocol SampleBytes: AnyObject, Sendable {
    /// How many bytes there are.
    var count: Int { get }

    /// Lends the bytes.
    func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R
}

/// Bytes that a demuxer gathered: of a PES packet, or of a piece of a pipe.
package final class GatheredBytes: SampleBytes {
    private let bytes: [UInt8]

    /// Takes the bytes.
    package init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    package var count: Int { bytes.count }

    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { try body($0.bytes) }
    }
}
