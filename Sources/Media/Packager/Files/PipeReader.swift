import ByteCoding
import FileWriting
import Foundation

/// Reads a pipe, or any other file descriptor, in chunks into one buffer.
package final class PipeReader: ByteSource {
    /// The number of bytes requested at once: more than the default capacity of a Linux pipe (64 KiB).
    package static let chunkSize = 256 << 10

    package let name: String
    package private(set) var position = 0
    private let descriptor: Int32
    private let isOwned: Bool
    private let stop: StopSignal?
    private var buffer = [UInt8](repeating: 0, count: chunkSize)
    /// Bytes that have been peeked at but not consumed.
    private var peeked: [UInt8] = []
    private var hasEnded = false
    /// True if any bytes have been read.
    private var hasRead = false

    /// Creates a reader of a descriptor, which it does not close.
    ///
    /// - Parameter stop: A signal that stops reading before the end of the pipe.
    package init(descriptor: Int32 = STDIN_FILENO, name: String = "standard input", stop: StopSignal? = nil) {
        self.descriptor = descriptor
        self.stop = stop
        self.name = name
        isOwned = false
    }

    /// Opens a readable path that is not a regular file: a named pipe, `/dev/stdin`, a process substitution of a shell.
    ///
    /// - Parameter stop: A signal that stops reading before the end of the pipe, and stops waiting for a writer.
    /// - Throws: ``FileError``.
    package init(path: String, stop: StopSignal? = nil) throws {
        self.stop = stop
        // Without O_NONBLOCK, open() waits for a writer and cannot be stopped.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | (stop == nil ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        name = path
        isOwned = true
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    package var byteCount: Int? { nil }
    /// True if all bytes have been read.
    var isAtEnd: Bool { hasEnded && peeked.isEmpty }

    package func peek(_ count: Int) throws -> [UInt8] {
        while peeked.count < count {
            let read = try readChunk()
            guard read > 0 else { break }
            peeked += buffer[..<read]
        }
        return Array(peeked.prefix(count))
    }

    package func next(_ body: (RawSpan) throws -> Void) throws -> Bool {
        if !peeked.isEmpty {
            let bytes = peeked
            peeked = []
            position += bytes.count
            try body(bytes.span.bytes)
            return true
        }
        let count = try readChunk()
        guard count > 0 else { return false }
        position += count
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count]).bytes) }
        return true
    }

    /// Fills the buffer with the available bytes and returns their number; 0 at the end.
    private func readChunk() throws -> Int {
        var hasWaited = false
        while !hasEnded {
            if let stop, isOwned ? stop.isStopped : !stop.wait(for: descriptor) { break }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                hasRead = true
                return count
            }
            if count == 0 {
                // A named pipe opened with O_NONBLOCK has no writer yet. poll() does not report a writer that has
                // already closed the pipe, so the pipe is read first and polled afterwards.
                guard let stop, isOwned, !hasRead, !hasWaited else { break }
                hasWaited = true
                if !stop.wait(for: descriptor) { break }
            } else if errno == EAGAIN {
                waitForMore()
            } else if errno != EINTR {
                throw FileError(.read, path: name, code: errno)
            }
        }
        hasEnded = true
        return 0
    }

    /// Waits until more bytes are available. The descriptor is non-blocking, either by open() or because another
    /// process has set a shared terminal to non-blocking.
    private func waitForMore() {
        if let stop {
            _ = stop.wait(for: descriptor)
        } else {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, -1)
        }
    }
}
