import Foundation

/// Writes a file from its beginning to its end. Small pieces are gathered, large ones go to the system as they are, so
/// that samples of a mapped input are copied once, by the system.
package final class FileOutput {
    /// Pieces below this size are gathered.
    private static let small = 16 << 10
    /// How much is gathered, in bytes.
    private static let capacity = 128 << 10

    /// The file's path.
    package let path: String
    /// How many bytes were written, those that are still gathered included.
    package private(set) var count = 0

    private var descriptor: Int32
    private var gathered: [UInt8] = []

    /// Creates a file; it must not be there.
    ///
    /// - Throws: ``FileFailure``.
    package init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(.create, path: path, code: errno) }
        gathered.reserveCapacity(Self.capacity)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes bytes.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ bytes: RawSpan) throws {
        count += bytes.byteCount
        if gathered.count + bytes.byteCount > Self.capacity || bytes.byteCount >= Self.small { try flush() }
        if bytes.byteCount >= Self.small {
            try bytes.withUnsafeBytes { try writeAll($0) }
        } else {
            bytes.withUnsafeBytes { gathered.append(contentsOf: $0) }
        }
    }

    /// Writes what is gathered and closes the file.
    ///
    /// - Throws: ``FileFailure``.
    package func finish() throws {
        try flush()
        let descriptor = descriptor
        self.descriptor = -1
        guard close(descriptor) == 0 else { throw FileFailure(.write, path: path, code: errno) }
    }

    private func flush() throws {
        guard !gathered.isEmpty else { return }
        try gathered.withUnsafeBytes { try writeAll($0) }
        gathered.removeAll(keepingCapacity: true)
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let slice = UnsafeRawBufferPointer(rebasing: rest)
            let written = Foundation.write(descriptor, slice.baseAddress, slice.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw FileFailure(.write, path: path, code: errno)
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// A part of a file that is being written: a segment, which may be the whole file.
package final class FilePart: SegmentOutput {
    private let file: FileOutput
    private let start: Int

    /// Begins where the file ends now.
    package init(_ file: FileOutput) {
        self.file = file
        start = file.count
    }

    package var count: Int { file.count - start }

    /// Where it lies in the file.
    package var range: Range<Int> { start..<file.count }

    package func write(_ bytes: RawSpan) throws { try file.write(bytes) }
}
