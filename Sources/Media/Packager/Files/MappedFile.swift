import FileWriting
import Foundation

/// A file mapped read-only into memory. Its pages belong to the page cache, so that a large file needs no extra memory.
///
/// If another program truncates the file while it is read, this process receives SIGBUS, as with every mapping: inputs
/// must not change.
package final class MappedFile: SampleBytes {
    /// The path of the file, as given.
    package let path: String
    /// The size in bytes.
    package let count: Int
    /// The start of the mapping, which is never written to and remains valid for the lifetime of this object.
    private nonisolated(unsafe) let address: UnsafeMutableRawPointer?

    /// Maps a file.
    ///
    /// - Throws: ``FileError`` with the path and the reason.
    package init(path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(.read, path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(.read, path: path, code: EINVAL) }
        count = Int(status.st_size)
        guard count > 0 else {
            address = nil
            return
        }
        guard let address = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
            throw FileError(.read, path: path, code: errno)
        }
        madvise(address, count, MADV_SEQUENTIAL)
        self.address = address
    }

    deinit {
        if let address { munmap(address, count) }
    }

    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: address, count: count).bytes)
    }
}
