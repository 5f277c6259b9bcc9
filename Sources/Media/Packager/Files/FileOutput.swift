import FileWriting
import Foundation

/// Writes a file sequentially. Small writes are buffered; large ones go directly to the kernel, so that samples of a
/// mapped input are copied only once.
package final class FileOutput {
    /// The size in bytes below which writes are buffered.
    private static let directWriteSize = 16 << 10
    /// The capacity of the buffer in bytes.
    private static let capacity = 128 << 10

    /// The file's path.
    package let path: String
    /// The number of bytes written, including buffered bytes.
    package private(set) var count = 0

    /// Called with each range of bytes that others can read, and whether the file is complete.
    var onWritten: ((Range<Int>, Bool) throws -> Void)?

    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// The number of bytes for which ``onWritten`` was called.
    private var reported = 0

    /// Creates a file, which must not exist.
    ///
    /// - Throws: ``FileError``.
    package init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
        buffer.reserveCapacity(Self.capacity)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes bytes.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: RawSpan) throws { try write([0..<bytes.byteCount], of: bytes) }

    /// Writes parts of `bytes` consecutively. If they are too large for the buffer, they are written with a single
    /// system call, so that each page is filled only once.
    ///
    /// - Throws: ``FileError``.
    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws {
        let size = ranges.reduce(0) { $0 + $1.count }
        count += size
        try bytes.withUnsafeBytes { bytes in
            guard size >= Self.directWriteSize || buffer.count + size > Self.capacity else {
                for range in ranges { buffer.append(contentsOf: bytes[range]) }
                return
            }
            try buffer.withUnsafeBytes { head in
                var buffers = ranges.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                buffers.insert(head, at: 0)
                try writeAll(buffers)
            }
            buffer.removeAll(keepingCapacity: true)
        }
    }

    /// Overwrites bytes that have been written.
    ///
    /// - Parameter offset: The offset of the first byte; all bytes must be within the file.
    /// - Throws: ``FileError``.
    package func replace(at offset: Int, with bytes: [UInt8]) throws {
        guard offset >= 0, offset <= count - bytes.count else { throw FileError(.write, path: path, code: ERANGE) }
        try writeBuffer()
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw FileError(.write, path: path, code: errno) }
            done += written
        }
    }

    /// Writes the buffered bytes and closes the file.
    ///
    /// - Throws: ``FileError``.
    package func finish() throws {
        try writeBuffer()
        let descriptor = descriptor
        self.descriptor = -1
        guard close(descriptor) == 0 else { throw FileError(.write, path: path, code: errno) }
        try report(isComplete: true)
    }

    /// Writes the buffered bytes, so that others can read them.
    ///
    /// - Throws: ``FileError``.
    package func flush() throws {
        try writeBuffer()
        try report(isComplete: false)
    }

    private func report(isComplete: Bool) throws {
        guard let onWritten, isComplete || reported < count else { return }
        let range = reported..<count
        reported = count
        try onWritten(range, isComplete)
    }

    private func writeBuffer() throws {
        guard !buffer.isEmpty else { return }
        try buffer.withUnsafeBytes { try writeAll([$0]) }
        buffer.removeAll(keepingCapacity: true)
    }

    /// The maximum number of buffers in one system call (IOV_MAX).
    private static let maximumBuffers = 1024

    private func writeAll(_ buffers: [UnsafeRawBufferPointer]) throws {
        var vectors = buffers.filter { !$0.isEmpty }.map {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        var first = 0
        while first < vectors.count {
            let number = min(vectors.count - first, Self.maximumBuffers)
            var written = vectors[first..<first + number].withUnsafeBufferPointer {
                writev(descriptor, $0.baseAddress, Int32(number))
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw FileError(.write, path: path, code: errno)
            }
            while first < vectors.count, written >= vectors[first].iov_len {
                written -= vectors[first].iov_len
                first += 1
            }
            if written > 0 {
                vectors[first].iov_base = vectors[first].iov_base?.advanced(by: written)
                vectors[first].iov_len -= written
            }
        }
    }
}

/// A part of a file that is being written: a segment, or the whole file.
package final class FilePart: SegmentOutput {
    private let file: FileOutput
    private let start: Int

    /// Starts a part at the current end of the file.
    package init(_ file: FileOutput) {
        self.file = file
        start = file.count
    }

    package var count: Int { file.count - start }

    /// The byte range in the file.
    package var range: Range<Int> { start..<file.count }

    package func write(_ bytes: RawSpan) throws { try file.write(bytes) }

    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws { try file.write(ranges, of: bytes) }
}
