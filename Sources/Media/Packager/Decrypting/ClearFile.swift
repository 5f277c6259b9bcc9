import FileWriting
import Foundation

/// A file that receives decrypted data through memory. If the file system permits, the memory is a mapping of the file
/// itself, so that in-place decryption needs no extra memory. Disk space is allocated first, so that a full disk is an
/// error and not a signal (SIGBUS).
package final class ClearFile {
    /// The path of the finished file.
    package let path: String
    /// The size in bytes.
    package let count: Int
    private let output: OutputFile
    private let memory: UnsafeMutableRawBufferPointer
    /// True if the memory is a mapping of the file itself.
    private let isMapped: Bool

    /// Creates a file of zeros.
    ///
    /// - Parameters:
    ///   - path: The path of the finished file; for an existing file see ``OutputFile``.
    ///   - count: The size in bytes.
    /// - Throws: ``FileError``.
    package init(path: String, count: Int) throws {
        self.path = path
        self.count = count
        // No fsync: a presentation has thousands of files, and can be decrypted again.
        output = try OutputFile(path, isDurable: false)
        if let memory = try output.reserve(count) {
            (self.memory, isMapped) = (memory, true)
        } else if count > 0 {
            (memory, isMapped) = (try OutputFile.scratch(count, for: path), false)
        } else {
            (memory, isMapped) = (UnsafeMutableRawBufferPointer(start: nil, count: 0), true)
        }
    }

    deinit {
        if let address = memory.baseAddress { munmap(address, count) }
    }

    /// Calls a closure with the bytes of the file.
    package func withMutableBytes<R>(_ body: (inout MutableRawSpan) throws -> R) rethrows -> R {
        var bytes = memory.mutableBytes
        return try body(&bytes)
    }

    /// Renames the finished file to its path; if the memory is not a mapping, writes the bytes first.
    ///
    /// - Throws: ``FileError``.
    package func finish() throws {
        if !isMapped { try output.write(UnsafeRawBufferPointer(memory)) }
        try output.finish()
    }

    /// Writes a small file in one call.
    ///
    /// - Throws: ``FileError``.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let output = try OutputFile(path, isDurable: false)
        try output.write(bytes)
        try output.finish()
    }
}
