import ByteCoding
import FileWriting
import Foundation

/// Reads a pipe, or whatever a file descriptor leads to, in pieces into one buffer.
package final class PipeReader: ByteSource {
    /// How many bytes are asked for at once: more than a pipe of Linux holds unless it was told to.
    package static let pieceSize = 256 << 10

    package let name: String
    package private(set) var position = 0
    private let descriptor: Int32
    private let isOwned: Bool
    private let stop: StopSignal?
    private var buffer = [UInt8](repeating: 0, count: pieceSize)
    /// What was peeked at and has not been lent yet.
    private var peeked: [UInt8] = []
    private var hasEnded = false
    /// Whether anything came.
    private var hasRead = false

    /// Reads a descriptor, which it does not close.
    ///
    /// - Parameter stop: Ends reading before the end of the pipe.
    package init(descriptor: Int32 = STDIN_FILENO, name: String = "standard input", stop: StopSignal? = nil) {
        self.descriptor = descriptor
        self.stop = stop
        self.name = name
        isOwned = false
    }

    /// Opens what is no regular file but can be read: a named pipe, `/dev/stdin`, a process substitution of a shell.
    ///
    /// - Parameter stop: Ends reading before the end of the pipe, and waiting for somebody to write.
    /// - Throws: ``FileFailure``.
    package init(path: String, stop: StopSignal? = nil) throws {
        self.stop = stop
        // Who may be stopped must not wait in open().
        descriptor = open(path, O_RDONLY | O_CLOEXEC | (stop == nil ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw FileFailure(.open, path: path, code: errno) }
        name = path
        isOwned = true
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    package var byteCount: Int? { nil }
    /// Whether there is nothing more to read.
    var isAtEnd: Bool { hasEnded && peeked.isEmpty }

    package func peek(_ count: Int) throws -> [UInt8] {
        while peeked.count < count {
            let read = try readPiece()
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
        let count = try readPiece()
        guard count > 0 else { return false }
        position += count
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count]).bytes) }
        return true
    }

    /// Fills the buffer with what is there; 0 at the end.
    private func readPiece() throws -> Int {
        var hasWaited = false
        while !hasEnded {
            if let stop, isOwned ? stop.isStopped : !stop.wait(for: descriptor) { break }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                hasRead = true
                return count
            }
            if count == 0 {
                // A named pipe that was opened without waiting has no writer yet. One that has come and gone in the meantime
                // would not be told of: so it is read first, and waited for afterwards.
                guard let stop, isOwned, !hasRead, !hasWaited else { break }
                hasWaited = true
                if !stop.wait(for: descriptor) { break }
            } else if errno == EAGAIN {
                waitForMore()
            } else if errno != EINTR {
                throw FileFailure(.read, path: name, code: errno)
            }
        }
        hasEnded = true
        return 0
    }

    /// Waits until there is more. Somebody made the descriptor non-blocking: we, or whoever has a terminal.
    private func waitForMore() {
        if let stop {
            _ = stop.wait(for: descriptor)
        } else {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, -1)
        }
    }
}
