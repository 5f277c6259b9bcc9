import FPSCrypto
import FileWriting
import Foundation

/// What a file system may do to a download: a seam for tests.
struct DiskFaults: Sendable {
    /// The error number with which a write of so many bytes to a file ends; nil: none.
    var write: @Sendable (_ file: String, _ count: Int) -> Int32? = { _, _ in nil }

    static let none = DiskFaults()
}

/// Why the disk does not take a file.
struct DiskError: Error, Hashable {
    let file: String
    /// The system's number.
    let number: Int32

    /// No space is left, or none for this user.
    var isFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

    var downloadError: DownloadError {
        let words = String(cString: strerror(number))
        guard isFull else { return DownloadError(.storage, file, "the system says: \(words)") }
        return DownloadError(
            .diskFull,
            file,
            "\(words); make room and run it again: what is complete stays and is not fetched again"
        )
    }
}

/// A file of media that is being written. One task at a time writes; the committer alone synchronizes.
///
/// Unchecked, as the descriptor is all that is shared, and both uses of it may be at once; it is closed with the last owner.
final class PieceFile: @unchecked Sendable {
    let name: String
    /// The folder that it is in, below the bundle's.
    let folder: String
    private let descriptor: Int32
    private let faults: DiskFaults
    private(set) var length: UInt64
    private var hash = SHA256Stream()

    /// Opens a file and cuts it to what is known of it.
    init(_ name: String, in folder: BundleFolder, keeping length: UInt64, faults: DiskFaults) throws(DiskError) {
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
        try keep(length)
    }

    deinit { if descriptor >= 0 { Foundation.close(descriptor) } }

    /// Cuts it to its first bytes, which are read again for the checksum. Fewer, where it has fewer.
    func keep(_ wanted: UInt64) throws(DiskError) {
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

    /// Adds bytes to its end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        if let number = faults.write(name, bytes.count) ?? writeAll(bytes, to: descriptor) {
            throw DiskError(file: name, number: number)
        }
        hash.update(bytes)
        length += UInt64(bytes.count)
    }

    /// What it holds. Nothing is appended behind that.
    func finish() -> BundleResource.Content {
        var whole = SHA256Stream()
        swap(&whole, &hash)
        return BundleResource.Content(length: length, sha256: whole.finish())
    }

    /// Writes to the disk for good what was appended.
    func synchronize() throws(DiskError) {
        guard Durability.synchronizeContent(descriptor) == 0 else { throw failure() }
    }

    private func failure() -> DiskError { DiskError(file: name, number: errno) }
}
