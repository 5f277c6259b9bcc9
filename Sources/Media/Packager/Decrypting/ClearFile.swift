import FileWriting
import Foundation

/// A file that is being decrypted, in memory of the system: where it can, that of the file itself, so that what is decrypted
/// in place takes no memory of its own. Its room on the disk is taken first: a full disk is an error and no signal.
package final class ClearFile {
    /// Where it will be.
    package let path: String
    /// Its size in bytes.
    package let count: Int
    private let output: OutputFile
    private let room: UnsafeMutableRawBufferPointer
    /// Whether the memory is the file's own.
    private let isOwn: Bool

    /// Makes a file of zeros.
    ///
    /// - Parameters:
    ///   - path: Where it will be; ``OutputFile`` says what happens to what is there.
    ///   - count: Its size in bytes.
    /// - Throws: ``FileFailure``.
    package init(path: String, count: Int) throws {
        self.path = path
        self.count = count
        // A presentation has thousands of files, and can be decrypted again.
        output = try OutputFile(path, isDurable: false)
        if let room = try output.reserve(count) {
            (self.room, isOwn) = (room, true)
        } else if count > 0 {
            (room, isOwn) = (try OutputFile.scratch(count, for: path), false)
        } else {
            (room, isOwn) = (UnsafeMutableRawBufferPointer(start: nil, count: 0), true)
        }
    }

    deinit {
        if let address = room.baseAddress { munmap(address, count) }
    }

    /// Lends the bytes.
    package func withMutableBytes<R>(_ body: (inout MutableRawSpan) throws -> R) rethrows -> R {
        var bytes = room.mutableBytes
        return try body(&bytes)
    }

    /// Gives the file its name, or writes the bytes to what has it.
    ///
    /// - Throws: ``FileFailure``.
    package func finish() throws {
        if !isOwn { try output.write(UnsafeRawBufferPointer(room)) }
        try output.finish()
    }

    /// Writes a small file at once.
    ///
    /// - Throws: ``FileFailure``.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let output = try OutputFile(path, isDurable: false)
        try output.write(bytes)
        try output.finish()
    }
}
