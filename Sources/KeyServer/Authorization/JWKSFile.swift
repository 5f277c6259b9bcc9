import FoundationEssentials
import Glibc

/// Reads a key set's file, and tells by time and size whether it has changed.
struct JWKSFile: Sendable {
    /// What tells two states of a file apart.
    struct Stamp: Sendable, Equatable {
        let modified: Date
        let size: Int
        let inode: Int
    }

    /// Why a file was not read. It holds nothing of the file.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    let path: String

    /// The content, and its stamp; nil when the stamp is still the known one.
    func read(unless known: Stamp?) throws(Unreadable) -> (text: [UInt8], stamp: Stamp)? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            throw Unreadable(description: "it cannot be found")
        }
        // Something else in the file's place, such as a FIFO, must not hang the server.
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw Unreadable(description: "it is no file")
        }
        let stamp = Stamp(
            modified: attributes[.modificationDate] as? Date ?? .distantPast,
            size: attributes[.size] as? Int ?? 0,
            inode: attributes[.systemFileNumber] as? Int ?? 0
        )
        guard stamp != known else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Unreadable(description: "it cannot be opened (errno \(errno))") }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: VerificationKeySet.maximumSize + 1)
        var count = 0
        while count < text.count {
            let part = text.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
            guard part >= 0 else { throw Unreadable(description: "it cannot be read (errno \(errno))") }
            if part == 0 { break }
            count += part
        }
        return (Array(text[..<count]), stamp)
    }

    /// The path with links followed: what replaces a mounted secret is a link.
    private var resolved: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
