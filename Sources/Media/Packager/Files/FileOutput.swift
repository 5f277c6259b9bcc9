import FileWriting
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
    package func write(_ bytes: RawSpan) throws { try write([0..<bytes.byteCount], of: bytes) }

    /// Writes parts of `bytes`, one behind the other. What is too much to be gathered goes to the system in one call,
    /// which then fills each of its pages once.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws {
        let size = ranges.reduce(0) { $0 + $1.count }
        count += size
        try bytes.withUnsafeBytes { bytes in
            guard size >= Self.small || gathered.count + size > Self.capacity else {
                for range in ranges { gathered.append(contentsOf: bytes[range]) }
                return
            }
            try gathered.withUnsafeBytes { head in
                var pieces = ranges.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                pieces.insert(head, at: 0)
                try writeAll(pieces)
            }
            gathered.removeAll(keepingCapacity: true)
        }
    }

    /// Replaces bytes that were written.
    ///
    /// - Parameter offset: Where they begin; all of them lie in what was written.
    /// - Throws: ``FileFailure``.
    package func replace(at offset: Int, with bytes: [UInt8]) throws {
        guard offset >= 0, offset <= count - bytes.count else { throw FileFailure(.write, path: path, code: ERANGE) }
        try flush()
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw FileFailure(.write, path: path, code: errno) }
            done += written
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
        try gathered.withUnsafeBytes { try writeAll([$0]) }
        gathered.removeAll(keepingCapacity: true)
    }

    /// How many pieces the system takes at once (IOV_MAX).
    private static let mostPieces = 1024

    private func writeAll(_ pieces: [UnsafeRawBufferPointer]) throws {
        var vectors = pieces.filter { !$0.isEmpty }.map {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        var first = 0
        while first < vectors.count {
            let number = min(vectors.count - first, Self.mostPieces)
            var written = vectors[first..<first + number].withUnsafeBufferPointer {
                writev(descriptor, $0.baseAddress, Int32(number))
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw FileFailure(.write, path: path, code: errno)
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

    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws { try file.write(ranges, of: bytes) }
}
