import Foundation

/// A file of `TestVectors/playlist/`: what is expected, and one playlist or several. TestVectors/README.md describes the
/// format.
///
///     name: value                     headers
///     (blank line)
///     === main.m3u8                   before each playlist, if there are several; its bytes follow as they are
package struct PlaylistVectorFile: Sendable, CustomStringConvertible {
    /// What the playlists are to each other.
    package enum Subject: String, Sendable {
        /// A Media Playlist.
        case media
        /// A Multivariant Playlist.
        case multivariant
        /// A Multivariant Playlist, then its Media Playlists.
        case presentation
        /// Two snapshots of one Media Playlist.
        case reload
        /// A Media Playlist, a delta update of it, and what comes out; the third is missing if nothing can.
        case delta
    }

    /// A rule that is broken, and where: `rule@line`, with `file:` before it if there are several playlists.
    package struct Finding: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The playlist's name; empty if there is one.
        package let file: String
        /// The rule's name.
        package let rule: String
        /// The line from 1, or 0.
        package let line: Int

        /// Makes a finding.
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

        /// As in a file.
        package var description: String { (file.isEmpty ? "" : file + ":") + "\(rule)@\(line)" }

        /// By playlist, line and rule.
        package static func < (left: Finding, right: Finding) -> Bool {
            (left.file, left.line, left.rule) < (right.file, right.line, right.rule)
        }
    }

    /// The name without folder and ending.
    package let name: String
    /// What the playlists are to each other.
    package let subject: Subject
    /// The URL from which the playlist came; nil when there is none.
    package let url: String?
    /// The errors and warnings, in order.
    package let findings: [Finding]
    /// Notes that must be there, among others.
    package let notes: [Finding]
    /// The rule for which strict reading refuses the playlist; nil when it does not.
    package let strict: String?
    /// Whether the playlists are in the form in which they are written.
    package let isCanonical: Bool
    /// The playlists; the name is empty if there is one.
    package let files: [(name: String, bytes: [UInt8])]

    /// All vectors, by name.
    ///
    /// - Throws: ``VectorFile/Unreadable`` when one of them is not as its README says, or there are none.
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
            throw unreadable("no blank line")
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
                guard let finding = Finding(item) else { throw unreadable("\(header) has \(item)") }
                return finding
            }.sorted()
        }
        guard let subject = headers["subject"].flatMap(Subject.init(rawValue:)) else { throw unreadable("no subject") }
        guard let found = try findings("findings"), let strict = headers["strict"] else {
            throw unreadable("no findings, or nothing about strict reading")
        }
        guard let canonical = headers["canonical"], ["yes", "no"].contains(canonical) else {
            throw unreadable("neither canonical nor not")
        }
        self.subject = subject
        self.findings = found
        self.strict = strict == "-" ? nil : strict
        notes = try findings("notes") ?? []
        isCanonical = canonical == "yes"
        url = headers["url"]
        files =
            try Self.files(Array(bytes[(gap + 2)...]), isSingle: subject == .media || subject == .multivariant)
            ?? { throw unreadable("the playlists have no names") }()
    }

    /// Splits at the lines that begin with `=== `.
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

    /// The playlist of a name.
    package func bytes(_ name: String) -> [UInt8]? { files.first { $0.name == name }?.bytes }

    /// The name.
    package var description: String { name }
}
