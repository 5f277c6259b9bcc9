import FPSCrypto
import Glibc

/// Reads a key set's file, and tells by time and size whether it has changed.
struct JWKSFile: Sendable {
    /// What tells two states of a file apart.
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

    /// Why a file was not read. It holds nothing of the file.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    let path: String
    /// Whether it holds secrets, and follows the rule for files that do.
    let isSecret: Bool

    /// The content, and its stamp; nil when the stamp is still the known one.
    func read(unless known: Stamp?) throws(Unreadable) -> (text: [UInt8], stamp: Stamp)? {
        // Something else in the file's place, such as a FIFO, must not hang the server. Links are followed: what replaces a
        // mounted file is one.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Unreadable(description: "it cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Unreadable(description: "it is not a regular file")
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
            guard part >= 0 else { throw Unreadable(description: "it cannot be read (errno \(errno))") }
            if part == 0 { break }
            count += part
        }
        return (Array(text[..<count]), stamp)
    }

    /// Applies the rule for files with secrets.
    private static func check(_ descriptor: Int32, _ path: String) throws(Unreadable) {
        do throws(SecretFileError) { try SecretFile.check(descriptor, path) } catch {
            throw Unreadable(description: error.description)
        }
    }
}
