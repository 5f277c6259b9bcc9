import Foundation
import HLSPlaylist
import ToolSupport

/// A checker for playlists, and for the Media Playlists of Multivariant Playlists.
struct PlaylistChecker: Sendable {
    let loader: PlaylistLoader
    let linter: Linter
    /// True if to check the Media Playlists of a Multivariant Playlist.
    var follows = true
    /// The maximum number of Media Playlists to read.
    var playlistLimit = 200

    /// A playlist from the command line.
    struct Subject: Sendable {
        /// The name of the playlist in output.
        let name: String
        let loaded: PlaylistLoader.Loaded
        /// The options that it was parsed with.
        let options: ParsingOptions
        /// The parsed playlist, or the error if it exceeds a limit.
        let file: Result<LintFile, PlaylistError>
    }

    /// Loads a playlist from the command line, and prints notes about its delivery to standard error.
    func read(_ input: PlaylistInput) async throws(CommandFailure) -> Subject {
        read(try await loader.load(input.location), input)
    }

    /// Parses a loaded playlist.
    func read(_ loaded: PlaylistLoader.Loaded, _ input: PlaylistInput) -> Subject {
        Self.printNote(loaded.note, of: input.name)
        let bytes = loaded.bytes
        if !bytes.starts(with: Array("#EXTM3U".utf8)), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            Self.printNote(
                "the file does not begin with #EXTM3U; it is \(FileKind(Array(bytes.prefix(4096))).description)",
                of: input.name
            )
        }
        let base = loaded.location.base
        let options = loader.options(for: loaded)
        let file = Result { () throws(PlaylistError) in try LintFile(name: base, bytes: bytes, options: options) }
        return Subject(name: input.name, loaded: loaded, options: options, file: file)
    }

    /// A Media Playlist that was checked.
    struct CheckedMedia: Sendable {
        /// The name in output.
        let name: String
        let file: LintFile
        /// The options that it was parsed with.
        let options: ParsingOptions
        /// The URI by which a Multivariant Playlist references it, resolved; nil for the playlist on the command line.
        let uri: String?
    }

    /// Checks a playlist, and the Media Playlists of a Multivariant Playlist.
    ///
    /// - Returns: The findings, and the Media Playlists.
    func check(_ subject: Subject) async -> (found: CheckFindings, media: [CheckedMedia]) {
        switch subject.file {
        case .failure(let error):
            var found = CheckFindings()
            found.files = [.init(name: subject.name, kind: nil, problem: error.diagnostic.message)]
            found.findings = [CheckFinding(error.diagnostic, in: nil, name: subject.name)]
            return (found, [])
        case .success(let file):
            if follows, case .multivariant(let playlist) = file.playlist {
                return await check(playlist, file, subject)
            }
            var found = CheckFindings()
            found.files = [.init(name: subject.name, kind: file.playlist.kind.rawValue, problem: nil)]
            found.findings = linter.check(file).map { CheckFinding($0, in: file, name: subject.name) }
            return (found, [CheckedMedia(name: subject.name, file: file, options: subject.options, uri: nil)])
        }
    }

    private func check(
        _ playlist: MultivariantPlaylist,
        _ file: LintFile,
        _ subject: Subject
    ) async -> (found: CheckFindings, media: [CheckedMedia]) {
        let references = PlaylistTreeLoader.references(of: file)
        let presentation = PlaylistTreeLoader(loader: loader, limit: playlistLimit)
        let children = await presentation.load(
            references,
            from: subject.loaded.location,
            variables: playlist.variables
        )
        var found = MultivariantFindings(
            root: file,
            name: subject.name,
            variables: playlist.variables,
            references: references,
            children: children
        )
        for finding in linter.check(presentation: file, load: { found.file($0) }) { found.add(finding) }
        found.addLimits()
        for (name, note) in found.notes { Self.printNote(note, of: name) }
        let skipped = children.values.count { if case .skipped = $0 { true } else { false } }
        if skipped > 0 {
            Self.printNote("\(skipped) Media Playlists were not read because of --limit-playlists", of: subject.name)
        }
        return (found.result, found.media)
    }

    /// Checks the changes between two versions of one Media Playlist.
    func check(from before: Subject, to after: Subject) -> [CheckFinding] {
        guard case .success(let first) = before.file, case .success(let second) = after.file else { return [] }
        // Versions of one playlist may have the same name.
        let other = before.name == after.name ? nil : LintFinding.Place(file: before.name, line: 0)
        return linter.check(reloadFrom: first, to: second).map {
            CheckFinding($0, in: second, name: after.name, other: other)
        }
    }

    /// Prints a note about a playlist to standard error.
    static func printNote(_ note: String?, of name: String) {
        if let note { Terminal.writeError("note: \(PlaylistText.printable(name)): \(note)") }
    }
}

/// A playlist on a command line.
struct PlaylistInput: Sendable {
    let location: PlaylistLocation
    /// The name in output: the argument, without the password that a URL may contain.
    let name: String
    /// The URL as given, which may contain a user name and a password; nil for files and standard input.
    let url: URL?

    /// Parses an argument.
    ///
    /// - Throws: A failure of kind `usage` for a URL that is neither http nor https.
    init(argument: String) throws(CommandFailure) {
        location = try PlaylistLocation(argument: argument)
        url = location.isRemote ? URLArgument.url(argument) : nil
        switch location {
        case .web(let url): name = url.absoluteString
        case .file, .standardInput: name = location.name
        }
    }

    /// True if the playlist is read from standard input.
    var isStandardInput: Bool { location == .standardInput }
}

/// The findings of a presentation, with the names of its playlists in output.
private struct MultivariantFindings {
    private let root: LintFile
    private let variables: [String: String]
    private let references: [PlaylistTreeLoader.Reference]
    private let children: [String: PlaylistTreeLoader.Child]
    /// The playlists by base URI, which the linter uses as the file name.
    private var files: [String: (file: LintFile, name: String)] = [:]
    /// The notes about the delivery of the playlists.
    private(set) var notes: [(name: String, note: String?)] = []
    private(set) var result = CheckFindings()
    /// The playlists that were read, each once.
    private(set) var media: [PlaylistChecker.CheckedMedia] = []

    init(
        root: LintFile,
        name: String,
        variables: [String: String],
        references: [PlaylistTreeLoader.Reference],
        children: [String: PlaylistTreeLoader.Child]
    ) {
        self.root = root
        self.variables = variables
        self.references = references
        self.children = children
        result.files = [.init(name: name, kind: Playlist.Kind.multivariant.rawValue, problem: nil)]
        var seen: Set<String> = []
        for reference in references where seen.insert(reference.uri).inserted { add(reference) }
        files[root.name] = (root, name)
    }

    private mutating func add(_ reference: PlaylistTreeLoader.Reference) {
        switch children[reference.uri] {
        case .file(let file, let name, let note):
            guard files[file.name] == nil, file.name != root.name else { return }
            files[file.name] = (file, name)
            notes.append((name, note))
            let options = ParsingOptions(url: file.name, importedVariables: variables)
            media.append(.init(name: name, file: file, options: options, uri: reference.uri))
            result.files.append(.init(name: name, kind: file.playlist.kind.rawValue, problem: nil))
        case .overLimit(let diagnostic, let name):
            result.files.append(.init(name: name, kind: nil, problem: diagnostic.message))
        case .missing(let reason):
            result.files.append(.init(name: PlaylistText.redacted(reference.uri), kind: nil, problem: reason))
        case .skipped, nil: break
        }
    }

    /// Returns the playlist at a URI, if it was read.
    func file(_ uri: String) -> LintFile? {
        if case .file(let file, _, _) = children[uri] { file } else { nil }
    }

    /// Adds a finding of the linter.
    mutating func add(_ finding: LintFinding) {
        let (file, name) = files[finding.file].map { ($0.file, $0.name) } ?? (nil, PlaylistText.redacted(finding.file))
        var reason: String?
        if finding.diagnostic.rule == .mediaPlaylistMissing {
            let causes = references.filter { $0.line == finding.diagnostic.line }.compactMap { children[$0.uri] }
            // A playlist that was skipped is not missing.
            if causes.contains(where: { if case .skipped = $0 { true } else { false } }) { return }
            reason = causes.lazy.compactMap(\.reason).first
        }
        let other = finding.other.map { place in
            LintFinding.Place(file: files[place.file]?.name ?? PlaylistText.redacted(place.file), line: place.line)
        }
        result.findings.append(CheckFinding(finding.diagnostic, in: file, name: name, reason: reason, other: other))
    }

    /// Adds findings for the playlists that exceed a limit, which the linter does not receive.
    mutating func addLimits() {
        var seen: Set<String> = []
        for reference in references where seen.insert(reference.uri).inserted {
            guard case .overLimit(let diagnostic, let name) = children[reference.uri] else { continue }
            result.findings.append(CheckFinding(diagnostic, in: nil, name: name))
        }
    }
}

extension PlaylistTreeLoader.Child {
    /// The reason why the playlist is not available.
    fileprivate var reason: String? {
        switch self {
        case .missing(let reason): reason
        case .overLimit(let diagnostic, _): diagnostic.message
        case .file, .skipped: nil
        }
    }
}

extension RuleID {
    /// The rule for Media Playlists that cannot be read.
    static let mediaPlaylistMissing: RuleID = "media-playlist-missing"
}
