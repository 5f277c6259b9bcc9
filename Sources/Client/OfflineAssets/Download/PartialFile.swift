import FPSCrypto
import FileWriting
import Foundation

/// Injected file system errors, for tests.
struct DiskFaultInjection: Sendable {
    /// Returns the error number of a write of a number of bytes to a file; nil means no error.
    var write: @Sendable (_ file: String, _ count: Int) -> Int32? = { _, _ in nil }

    static let none = DiskFaultInjection()
}

/// An error of the file system.
struct DiskError: Error, Hashable {
    let file: String
    /// The system's error number.
    let number: Int32

    /// True if the disk is full or the user's quota is exceeded.
    var isFull: Bool { Self.isFull(number) }

    static func isFull(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

    var downloadError: DownloadError {
        guard !isFull else { return .diskFull(file) }
        return DownloadError(.storage, file, "file system error: \(String(cString: strerror(number)))")
    }
}

extension DownloadError {
    /// Creates the error of a full disk.
    static func diskFull(_ file: String) -> DownloadError {
        DownloadError(.diskFull, file, "the disk is full: free disk space and resume; complete files are kept")
    }
}

/// A media file that is being written. One task at a time writes it; only the journal synchronizes it.
///
/// Unchecked, because only the file descriptor is shared, and concurrent writing and synchronizing are allowed; it is
/// closed with the last reference.
final class PartialFile: @unchecked Sendable {
    let name: String
    /// The folder of the file, relative to the bundle's folder.
    let folder: String
    private let descriptor: Int32
    private let faults: DiskFaultInjection
    private(set) var length: UInt64
    private var hash = SHA256Stream()

    /// Opens a file and truncates it to its recorded length.
    init(_ name: String, in folder: BundleFolder, keeping length: UInt64, faults: DiskFaultInjection) throws(DiskError)
    {
        self.name = name
        self.folder = String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
        self.faults = faults
        self.length = 0
        descriptor = Foundation.open(
            folder.path(of: name),
            O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
            0o600
        )
        guard descriptor >= 0 else { throw DiskError(file: name, number: errno) }
        try truncate(to: length)
    }

    deinit { if descriptor >= 0 { Foundation.close(descriptor) } }

    /// Truncates the file to a length, and reads it for the checksum. A shorter file keeps its length.
    func truncate(to wanted: UInt64) throws(DiskError) {
        hash = SHA256Stream()
        length = 0
        if wanted > 0 {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
            defer { buffer.deallocate() }
            while length < wanted {
                let size = Int(min(UInt64(buffer.count), wanted - length))
                let count = pread(descriptor, buffer.baseAddress, size, off_t(length))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw failure() }
                if count == 0 { break }
                hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                length += UInt64(count)
            }
        }
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw failure()
        }
    }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        if let number = faults.write(name, bytes.count) ?? writeAll(bytes, to: descriptor) {
            throw DiskError(file: name, number: number)
        }
        hash.update(bytes)
        length += UInt64(bytes.count)
    }

    /// Returns bytes from an offset, at most `count`; fewer at the end of the file.
    func read(from offset: UInt64, _ count: Int) throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let got = bytes[length...].withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset) + off_t(length))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure() }
            if got == 0 { break }
            length += got
        }
        return Array(bytes.prefix(length))
    }

    /// Returns the length and checksum. No bytes can be appended afterward.
    func finish() -> BundleResource.Content {
        var whole = SHA256Stream()
        swap(&whole, &hash)
        return BundleResource.Content(length: length, sha256: whole.finish())
    }

    /// Synchronizes the appended bytes to the disk.
    func synchronize() throws(DiskError) {
        guard Durability.synchronizeContent(descriptor) == 0 else { throw failure() }
    }

    private func failure() -> DiskError { DiskError(file: name, number: errno) }
}
