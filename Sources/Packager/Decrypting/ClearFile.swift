import Foundation

/// A file that is being written: it has its name only when all of it is there. Until then it lies beside it under
/// another name, and goes if it is not finished.
///
/// Its bytes are mapped, so that what is decrypted in place lies in the system's cache and takes no memory of its own.
/// Its room on the disk is taken first: a full disk is an error and no signal.
package final class ClearFile {
    /// Where it will be.
    package let path: String
    /// Its size in bytes.
    package let count: Int
    private let target: String
    private let temporary: String
    private var address: UnsafeMutableRawPointer?
    private var isFinished = false

    /// Makes a file of zeros.
    ///
    /// - Parameters:
    ///   - path: Where it will be. A link is followed; what is no regular file is not replaced.
    ///   - count: Its size in bytes.
    /// - Throws: ``FileFailure``.
    package init(path: String, count: Int) throws {
        self.path = path
        self.count = count
        target = try Self.target(of: path)
        temporary = "\(target).\(UInt32.random(in: 0...(.max))).tmp"
        let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(.create, path: path, code: errno) }
        defer { close(descriptor) }
        guard count > 0 else { return }
        let code = posix_fallocate(descriptor, 0, count)
        guard code == 0 else { throw discard(code) }
        guard let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { throw discard(errno) }
        self.address = address
    }

    deinit {
        if let address { munmap(address, count) }
        if !isFinished { unlink(temporary) }
    }

    /// Lends the bytes.
    package func withMutableBytes<R>(_ body: (inout MutableRawSpan) throws -> R) rethrows -> R {
        var bytes = UnsafeMutableRawBufferPointer(start: address, count: count).mutableBytes
        return try body(&bytes)
    }

    /// Gives the file its name. It replaces one that has it.
    ///
    /// - Throws: ``FileFailure``.
    package func finish() throws {
        guard rename(temporary, target) == 0 else { throw FileFailure(.rename, path: path, code: errno) }
        isFinished = true
    }

    /// Writes a small file at once.
    ///
    /// - Throws: ``FileFailure``.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try ClearFile(path: path, count: bytes.count)
        file.withMutableBytes { span in
            span.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        }
        try file.finish()
    }

    private func discard(_ code: Int32) -> FileFailure {
        unlink(temporary)
        isFinished = true
        return FileFailure(.write, path: path, code: code)
    }

    /// Renaming would replace a link itself, or a device.
    private static func target(of path: String) throws -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return path }
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let real = realpath(path, nil) else {
            throw FileFailure(.write, path: path, code: EINVAL)
        }
        defer { free(real) }
        return String(cString: real)
    }
}
