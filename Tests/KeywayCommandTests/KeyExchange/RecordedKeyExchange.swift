import FPSCrypto
import Foundation
import VectorFiles

/// A session of TestVectors/speke/: the messages between `keyway package` and another key server, and the
/// keys and signals that a second implementation reads from them. Its README describes the files.
struct RecordedKeyExchange: Sendable {
    /// An HTTP/1.1 message in its wire format.
    ///
    ///     request or status line CR LF
    ///     name: value            CR LF
    ///     CR LF
    ///     body, Content-Length bytes
    struct Message: Sendable {
        /// The lines before the body.
        let head: [String]
        /// The body.
        let body: [UInt8]

        /// The parts that must be identical when the session is repeated: everything except the address of the server.
        var repeatable: [String] {
            head.filter { !$0.hasPrefix("host: ") }
                + String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// The header fields except the length, which the sender adds.
        var fields: [String: String] {
            let pairs = head.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.range(of: ": ") else { return nil }
                return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
            }
            return Dictionary(pairs) { $1 }.filter { $0.key != "Content-Length" }
        }
    }

    /// The reason why a recording cannot be used; the description contains the file name.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The folder of all sessions.
    static let root = VectorFile.root.appending(path: "speke")
    /// The names of all sessions.
    static let names = ["film", "film-with-playready", "film-encrypted", "key-periods"]

    /// The requests and responses, in order.
    let exchanges: [(request: Message, answer: Message)]
    /// The headers of `session.txt`, without duplicates.
    let facts: [String: String]
    /// The keys of the session, `KID:KEY:IV` in hexadecimal.
    let keys: [String]

    /// Reads a session.
    ///
    /// - Throws: ``Unreadable``, and what reading a file throws.
    init(_ name: String, in root: URL = Self.root) throws {
        let folder = root.appending(path: name)
        let lines = try String(contentsOf: folder.appending(path: "session.txt"), encoding: .utf8).split(
            separator: "\n"
        )
        let headers = try lines.map { line in
            guard let colon = line.range(of: ": ") else {
                throw Unreadable(description: "\(name)/session.txt: \(line)")
            }
            return (name: String(line[..<colon.lowerBound]), value: String(line[colon.upperBound...]))
        }
        facts = Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first }
        keys = headers.filter { $0.name == "key" }.map(\.value)
        let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count { $0.hasSuffix(".request") }
        exchanges = try (0..<count).map { number in
            try (
                Self.message("\(name)/\(number).request", in: root), Self.message("\(name)/\(number).answer", in: root)
            )
        }
    }

    private static func message(_ path: String, in root: URL) throws -> Message {
        let bytes = [UInt8](try Data(contentsOf: root.appending(path: path)))
        let gap = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.dropLast(3).first(where: { bytes[$0..<$0 + 4].elementsEqual(gap) }) else {
            throw Unreadable(description: "\(path) has no end of the head")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let message = Message(head: lines, body: Array(bytes[(end + 4)...]))
        guard lines.contains("Content-Length: \(message.body.count)") else {
            throw Unreadable(description: "\(path) has a body of another length than its head says")
        }
        return message
    }

    /// Returns the signals for a system, such as `fairplay-media`, that every key of the session has, by system.
    func signals(_ kind: String) -> [String] {
        facts.filter { $0.key.hasSuffix("-" + kind) }.map(\.value)
    }

    /// Returns the differences from `SHA256SUMS`: missing, changed and added files.
    static func differences(in root: URL = Self.root) throws -> [String] {
        var listed: [String: String] = [:]
        for line in try String(contentsOf: root.appending(path: "SHA256SUMS"), encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            guard parts.count == 2 else { throw Unreadable(description: "SHA256SUMS: \(line)") }
            listed[parts[1]] = parts[0]
        }
        let found = try Set(FileManager.default.subpathsOfDirectory(atPath: root.path)).filter { path in
            path.contains("/") || path.hasSuffix(".txt")
        }
        return try Set(listed.keys).union(found).sorted().compactMap { path in
            guard let sum = listed[path] else { return "\(path) was not recorded" }
            guard found.contains(path) else { return "\(path) is missing" }
            let bytes = [UInt8](try Data(contentsOf: root.appending(path: path)))
            return VectorFile.hexadecimal(SHA256.hash(bytes)) == sum ? nil : "\(path) is not as it was recorded"
        }
    }
}
