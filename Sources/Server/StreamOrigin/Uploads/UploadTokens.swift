import FileAccess
import Synchronization

/// The tokens of packagers, each for one or more channels, from a file that is read again when it changes.
///
///     file = *( line LF )
///     line = [ channels SP token ] [ "#" comment ]      channels: names separated by commas, or * for all
///
/// The file must belong to the user that runs the server or to root, and must not be accessible to others.
package final class UploadTokens: Sendable {
    /// The permission that a token gives.
    enum Permission: Hashable, Sendable {
        /// The token is unknown.
        case unknown
        /// The token is for other channels.
        case otherChannel
        case granted
    }

    private struct Entry: Sendable {
        let token: [UInt8]
        /// The names of the channels; nil for all.
        let channels: Set<String>?
    }

    private struct Contents {
        var entries: [Entry]
        var identity: FileIdentity
    }

    /// The minimum length of a token, in bytes.
    static let minimumLength = 16

    private let path: String
    private let contents: Mutex<Contents>

    /// Reads the file.
    ///
    /// - Throws: ``UploadTokenError``.
    package init(path: String) throws(UploadTokenError) {
        self.path = path
        contents = Mutex(try Self.read(path))
    }

    /// Returns what a token permits. All tokens are compared, in a time that does not depend on their bytes.
    func permission(of token: some StringProtocol, channel: String) -> Permission {
        let given = Array(token.utf8)
        let entries = contents.withLock { $0.entries }
        var result = Permission.unknown
        for entry in entries where Self.areEqual(given, entry.token) {
            let isGranted = entry.channels?.contains(channel) ?? true
            if result != .granted { result = isGranted ? .granted : .otherChannel }
        }
        return result
    }

    /// Reads the file again if it has changed. If it cannot be used, the previous tokens stay valid.
    ///
    /// - Throws: ``UploadTokenError``.
    package func reloadIfChanged() throws(UploadTokenError) {
        guard let identity = FileStatus(path: path)?.identity else { throw UploadTokenError(path, "cannot be read") }
        guard contents.withLock({ $0.identity }) != identity else { return }
        let read = try Self.read(path)
        contents.withLock { $0 = read }
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(left, right) { difference |= left ^ right }
        return difference == 0
    }

    private static func read(_ path: String) throws(UploadTokenError) -> Contents {
        let file: (bytes: [UInt8], identity: FileIdentity)
        do {
            file = try PrivateFile.read(path)
        } catch {
            throw UploadTokenError(path, error.problem)
        }
        return Contents(entries: try parse(file.bytes[...], path), identity: file.identity)
    }

    private static func parse(_ bytes: ArraySlice<UInt8>, _ path: String) throws(UploadTokenError) -> [Entry] {
        var entries: [Entry] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard !words.isEmpty else { continue }
            // The line is not printed, because it may contain a token.
            guard words.count == 2 else {
                throw UploadTokenError(path, "line \(index + 1): expected CHANNEL[,CHANNEL...] TOKEN, or * TOKEN")
            }
            guard words[1].utf8.count >= minimumLength else {
                throw UploadTokenError(path, "line \(index + 1): the token is shorter than \(minimumLength) characters")
            }
            let names = Set(words[0].split(separator: ",").map(String.init))
            entries.append(Entry(token: Array(words[1].utf8), channels: names.contains("*") ? nil : names))
        }
        guard !entries.isEmpty else { throw UploadTokenError(path, "contains no token") }
        return entries
    }
}

/// A file of tokens that cannot be used. The error does not contain tokens.
package struct UploadTokenError: Error, Hashable, CustomStringConvertible {
    /// The path, the problem, and the command that solves it.
    package let description: String

    init(_ path: String, _ problem: String) { description = "\(path) \(problem)" }
}
