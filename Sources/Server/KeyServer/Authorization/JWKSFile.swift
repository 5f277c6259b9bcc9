import FPSCrypto
import Glibc

/// Reads the file of a key set, and detects changes by its modification time and size.
struct JWKSFile: Sendable {
    /// The file attributes by which changes are detected.
    struct Stamp: Sendable, Equatable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int
        let inode: UInt64
        let mode: UInt32
        let owner: UInt32

        init(_ status: stat) {
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
            size = Int(status.st_size)
            inode = UInt64(status.st_ino)
            mode = status.st_mode
            owner = status.st_uid
        }
    }

    /// The reason why a file could not be read. It contains no part of the file.
    struct ReadError: Error, CustomStringConvertible {
        let description: String
    }

    let path: String
    /// True if the file contains secrets, and must fulfill the rules for secret files.
    let isSecret: Bool

    /// Returns the contents with their stamp; nil if the stamp is unchanged.
    func read(unless known: Stamp?) throws(ReadError) -> (text: [UInt8], stamp: Stamp)? {
        // Do not block on other file types, such as a FIFO. Symbolic links are followed, because mounted files are
        // often replaced by changing a link.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw ReadError(description: "the file cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ReadError(description: "the path is not a regular file")
        }
        if isSecret { try Self.check(descriptor, path) }
        let stamp = Stamp(status)
        guard stamp != known else { return nil }
        var text = [UInt8](repeating: 0, count: VerificationKeySet.maximumSize + 1)
        var count = 0
        while count < text.count {
            let part = text.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                return Glibc.read(descriptor, rest.baseAddress, rest.count)
            }
            guard part >= 0 else { throw ReadError(description: "the file cannot be read (errno \(errno))") }
            if part == 0 { break }
            count += part
        }
        return (Array(text[..<count]), stamp)
    }

    /// Checks the rules for secret files.
    private static func check(_ descriptor: Int32, _ path: String) throws(ReadError) {
        do throws(SecretFileError) { try SecretFile.check(descriptor, path) } catch {
            throw ReadError(description: error.description)
        }
    }
}
