import Foundation
import HLSPlaylist
import VectorFiles

/// A presentation, or a single Media Playlist, in the style of a packager or service: a folder of
/// `TestVectors/playlist-corpus/`, which TestVectors/README.md describes.
struct CorpusItem: Sendable, CustomStringConvertible {
    /// The path of the folder in the corpus, such as `ffmpeg/vod-ts`.
    let name: String
    /// The playlists by their paths in the folder, in alphabetical order.
    let files: [(name: String, bytes: [UInt8])]

    var description: String { name }

    static let root = VectorFile.root.appending(path: "playlist-corpus")

    /// Returns all items in alphabetical order.
    static func all() throws -> [CorpusItem] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".m3u8") }
        let byFolder = Dictionary(grouping: paths) { $0.split(separator: "/").prefix(2).joined(separator: "/") }
        return try byFolder.keys.sorted().map { folder in
            let files = (byFolder[folder] ?? []).sorted().map { String($0.dropFirst(folder.count + 1)) }
            return CorpusItem(
                name: folder,
                files: try files.map { ($0, [UInt8](try Data(contentsOf: root.appending(path: folder + "/" + $0)))) }
            )
        }
    }

    /// Returns the findings of all playlists with their files; a Multivariant Playlist is checked as a presentation.
    func findings(_ linter: Linter) throws -> [LintFinding] {
        var read: [LintFile] = []
        for (name, bytes) in files {
            read.append(try LintFile(name: name, bytes: bytes))
        }
        var variables: [String: String] = [:]
        for case .multivariant(let playlist) in read.map(\.playlist) { variables = playlist.variables }
        if !variables.isEmpty {
            let options = ParsingOptions(importedVariables: variables)
            read = try files.map { try LintFile(name: $0.name, bytes: $0.bytes, options: options) }
        }
        let mains = read.filter { if case .multivariant = $0.playlist { true } else { false } }
        var loaded: Set<String> = []
        var found: [LintFinding] = []
        for main in mains where read.count > 1 {
            found += linter.check(presentation: main) { uri in
                // Queries are not part of the names of files, and copies on other servers are the same files.
                let path = URIReference.path(of: uri)
                let file = read.first { path == $0.name || path.hasSuffix("/" + $0.name) }
                if let file { loaded.insert(file.name) }
                return file
            }
            loaded.insert(main.name)
        }
        for file in read where !loaded.contains(file.name) {
            found += linter.check(file).map { LintFinding(file: file.name, diagnostic: $0) }
        }
        return found
    }
}

/// A file with the expected findings of the corpus: the path of a playlist, then a line for each finding with its rule,
/// its line and its severity. A playlist without findings is not listed.
enum CorpusFindings: String, CaseIterable, Sendable {
    /// The findings of the general rules.
    case general = "findings.txt"
    /// The findings that the profile `apple` adds.
    case apple = "apple-findings.txt"

    var file: URL { CorpusItem.root.appending(path: rawValue) }

    private var linter: Linter {
        switch self {
        case .general: Linter()
        case .apple: Linter(rules: LintRule.Profile.apple.rules)
        }
    }

    /// Returns the lines that the file must contain.
    func lines(_ items: [CorpusItem]) throws -> [String] {
        // The linter reports syntax errors only for enabled rules, so the profile alone reports none.
        let linter = linter
        var lines: [String] = []
        for item in items {
            let findings = Dictionary(grouping: try item.findings(linter), by: \.file)
            for name in findings.keys.sorted() {
                lines.append("\(item.name)/\(name)")
                lines += (findings[name] ?? []).map(\.diagnostic).sorted {
                    ($0.line, $0.rule, $0.column) < ($1.line, $1.rule, $1.column)
                }.map { "    \($0.rule)@\($0.line) \($0.severity)" }
            }
        }
        return lines
    }
}
