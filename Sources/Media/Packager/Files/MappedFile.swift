import FileWriting
import Foundation

/// A file that is mapped into memory, read only. Its pages belong to the system's cache, so that a large file takes no
/// memory of its own.
///
/// A file that another program makes shorter while it is read ends this one with SIGBUS, as with every mapping: inputs
/// have to stay as they are.
package final class MappedFile: SampleBytes {
    /// The file's path, as it was given.
    package let path: String
    /// Its size in bytes.
    package let count: Int
    /// What it points to is never written to, and stays until this object goes.
    private nonisolated(unsafe) let address: UnsafeMutableRawPointer?

    /// Maps a file.
    ///
    /// - Throws: ``FileFailure``, which names the path and the reason.
    package init(path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(.open, path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure(.read, path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure(.read, path: path, code: EINVAL) }
        count = Int(status.st_size)
        guard count > 0 else {
            address = nil
            return
        }
        guard let address = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
            throw FileFailure(.read, path: path, code: errno)
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
