import Foundation

/// A file of `TestVectors/playlist/`: the expected results, and one or more playlists. TestVectors/README.md describes
/// the format.
///
///     name: value                     headers
///     (blank line)
///     === main.m3u8                   before each playlist, if there are several; its bytes follow unchanged
package struct PlaylistVectorFile: Sendable, CustomStringConvertible {
    /// The relation between the playlists of a file.
    package enum Subject: String, Sendable {
        /// A Media Playlist.
        case media
        /// A Multivariant Playlist.
        case multivariant
        /// A Multivariant Playlist, then its Media Playlists.
        case presentation
        /// Two snapshots of one Media Playlist.
        case reload
        /// A Media Playlist, a delta update of it, and the merged result; without a result if the merge must fail.
        case delta
    }

    /// A violated rule and its location: `rule@line`, with `file:` before it if there are several playlists.
    package struct Finding: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The playlist's name; empty if there is only one.
        package let file: String
        /// The rule's name.
        package let rule: String
        /// The line number, from 1; 0 for the whole playlist.
        package let line: Int

        /// Creates a finding.
        package init(file: String = "", rule: String, line: Int) {
            self.file = file
            self.rule = rule
            self.line = line
        }

        init?(_ text: Substring) {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, let line = Int(parts[1]) else { return nil }
            let names = parts[0].split(separator: ":", omittingEmptySubsequences: false)
            guard let rule = names.last, names.count <= 2 else { return nil }
            self.init(file: names.count == 2 ? String(names[0]) : "", rule: String(rule), line: line)
        }

        /// The finding as it is written in a file.
        package var description: String { (file.isEmpty ? "" : file + ":") + "\(rule)@\(line)" }

        /// Orders findings by playlist, line and rule.
        package static func < (left: Finding, right: Finding) -> Bool {
            (left.file, left.line, left.rule) < (right.file, right.line, right.rule)
        }
    }

    /// The name without folder and extension.
    package let name: String
    /// The relation between the playlists.
    package let subject: Subject
    /// The URL from which the playlist was loaded; nil if none.
    package let url: String?
    /// The name of the profile whose rules are applied too; nil if none.
    package let profile: String?
    /// The errors and warnings, in order.
    package let findings: [Finding]
    /// Notes that must be reported; others may be too.
    package let notes: [Finding]
    /// The rule for which strict parsing rejects the playlist; nil if it accepts the playlist.
    package let strict: String?
    /// True if the playlists are in canonical form, which is the form that the writer produces.
    package let isCanonical: Bool
    /// The playlists; the name is empty if there is only one.
    package let files: [(name: String, bytes: [UInt8])]

    /// Returns all vectors, by name.
    ///
    /// - Throws: ``VectorFile/Unreadable`` if a file does not have the format in the README, or if there is none.
    package static func all() throws -> [PlaylistVectorFile] {
        let folder = VectorFile.root.appending(path: "playlist")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
        guard !files.isEmpty else { throw VectorFile.Unreadable(description: "no vectors in playlist") }
        return try files.sorted().map {
            try PlaylistVectorFile($0, [UInt8](Data(contentsOf: folder.appending(path: $0))))
        }
    }

    init(_ file: String, _ bytes: [UInt8]) throws {
        func unreadable(_ what: String) -> VectorFile.Unreadable {
            VectorFile.Unreadable(description: "playlist/\(file): \(what)")
        }
        name = String(file.dropLast(4))
        guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A }) else {
            throw unreadable("no blank line after the headers")
        }
        var headers: [String: String] = [:]
        for line in String(decoding: bytes[..<gap], as: UTF8.self).split(separator: "\n") {
            guard let colon = line.range(of: ": ") else { throw unreadable("a header without a colon: \(line)") }
            headers[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        func findings(_ header: String) throws -> [Finding]? {
            guard let text = headers[header] else { return nil }
            if text == "-" { return [] }
            return try text.split(separator: " ").map { item in
                guard let finding = Finding(item) else {
                    throw unreadable("\(header): expected rule@line, found \(item)")
                }
                return finding
            }.sorted()
        }
        guard let subject = headers["subject"].flatMap(Subject.init(rawValue:)) else {
            throw unreadable("no valid subject header")
        }
        guard let found = try findings("findings"), let strict = headers["strict"] else {
            throw unreadable("the findings or strict header is missing")
        }
        guard let canonical = headers["canonical"], ["yes", "no"].contains(canonical) else {
            throw unreadable("the canonical header must be yes or no")
        }
        self.subject = subject
        self.findings = found
        self.strict = strict == "-" ? nil : strict
        notes = try findings("notes") ?? []
        isCanonical = canonical == "yes"
        url = headers["url"]
        profile = headers["profile"]
        files =
            try Self.files(Array(bytes[(gap + 2)...]), isSingle: subject == .media || subject == .multivariant)
            ?? { throw unreadable("the playlists have no names") }()
    }

    /// Splits the bytes at the lines that start with `=== `.
    private static func files(_ bytes: [UInt8], isSingle: Bool) -> [(name: String, bytes: [UInt8])]? {
        if isSingle { return [("", bytes)] }
        let mark = Array("=== ".utf8)
        var files: [(name: String, bytes: [UInt8])] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
            let line = bytes[start..<end]
            if line.starts(with: mark) {
                let name = String(decoding: line.dropFirst(mark.count), as: UTF8.self)
                files.append((name.trimmingCharacters(in: .newlines), []))
            } else if files.isEmpty {
                return nil
            } else {
                files[files.count - 1].bytes += line
            }
            start = end
        }
        return files.isEmpty ? nil : files
    }

    /// Returns the playlist of a name.
    package func bytes(_ name: String) -> [UInt8]? { files.first { $0.name == name }?.bytes }

    /// The name.
    package var description: String { name }
}
