import Glibc

/// The lower bound: copying the same bytes, and finding their line ends with the C library.
final class PhysicalLimits {
    private let bytes: [UInt8]
    private var copy: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        copy = Array(repeating: 0, count: bytes.count)
    }

    /// Copies the bytes.
    func copyAll() -> Int {
        bytes.withUnsafeBytes { source in
            copy.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress, let to = target.baseAddress else { return 0 }
                memcpy(to, from, source.count)
                return Int(target[source.count / 2])
            }
        }
    }

    /// Counts the lines.
    func scanLines() -> Int {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var lines = 0
            var offset = 0
            while offset < buffer.count, let end = memchr(start + offset, 0x0A, buffer.count - offset) {
                lines += 1
                offset = UnsafeRawPointer(end) - start + 1
            }
            return lines
        }
    }
}
