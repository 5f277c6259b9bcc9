import Foundation
import HLSPlaylist

/// Judges playlists, and those that they lead to.
struct PlaylistJudge: Sendable {
    let loader: PlaylistLoader
    let linter: Linter
    /// Whether a Multivariant Playlist is followed into its Media Playlists.
    var follows = true
    /// How many Media Playlists are read at most.
    var playlistLimit = 200

    /// A playlist that the user has named, as it was read.
    struct Subject: Sendable {
        /// What the user calls it.
        let name: String
        let loaded: PlaylistLoader.Loaded
        /// Its lines and their meaning, or the limit that it passes.
        let file: Result<LintFile, PlaylistError>

        /// The playlist, if it is a Media Playlist.
        var media: MediaPlaylist? {
            if case .success(let file) = file, case .media(let playlist) = file.playlist { playlist } else { nil }
        }
    }

    /// Reads a playlist that the user has named, and says on standard error what is odd about how it came.
    func read(_ input: PlaylistInput) async throws(CommandFailure) -> Subject {
        read(try await loader.load(input.location), input)
    }

    /// Reads a playlist that has come.
    func read(_ loaded: PlaylistLoader.Loaded, _ input: PlaylistInput) -> Subject {
        Self.complain(loaded.note, of: input.name)
        let bytes = loaded.bytes
        if !bytes.starts(with: Array("#EXTM3U".utf8)), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            Self.complain("it is \(FileKind(Array(bytes.prefix(4096))).words)", of: input.name)
        }
        let base = loaded.location.base
        let options = ParsingOptions(url: loaded.location.isRemote ? base : nil)
        let file = Result { () throws(PlaylistError) in try LintFile(name: base, bytes: bytes, options: options) }
        return Subject(name: input.name, loaded: loaded, file: file)
    }

    /// Judges a playlist, and where it is a Multivariant Playlist, those that it names.
    func check(_ subject: Subject) async -> CheckFindings {
        switch subject.file {
        case .failure(let error):
            var found = CheckFindings()
            found.files = [.init(name: subject.name, kind: nil, problem: error.diagnostic.message)]
            found.findings = [CheckFinding(error.diagnostic, in: nil, name: subject.name)]
            return found
        case .success(let file):
            if follows, case .multivariant(let playlist) = file.playlist {
                return await check(playlist, file, subject)
            }
            var found = CheckFindings()
            found.files = [.init(name: subject.name, kind: file.playlist.kind.rawValue, problem: nil)]
            found.findings = linter.check(file).map { CheckFinding($0, in: file, name: subject.name) }
            return found
        }
    }

    private func check(
        _ playlist: MultivariantPlaylist,
        _ file: LintFile,
        _ subject: Subject
    ) async -> CheckFindings {
        let references = PresentationLoader.references(of: file)
        let presentation = PresentationLoader(loader: loader, limit: playlistLimit)
        let children = await presentation.load(
            references,
            from: subject.loaded.location,
            variables: playlist.variables
        )
        var found = Followed(root: file, name: subject.name, references: references, children: children)
        for finding in linter.check(presentation: file, load: { found.file($0) }) { found.add(finding) }
        found.addLimits()
        for (name, note) in found.notes { Self.complain(note, of: name) }
        let skipped = children.values.count { if case .skipped = $0 { true } else { false } }
        if skipped > 0 {
            Self.complain("\(skipped) Media Playlists were not read: --limit-playlists", of: subject.name)
        }
        return found.result
    }

    /// Judges what changed between two snapshots of one Media Playlist.
    ///
    /// - Parameter reload: Which reload the later one is; nil when it is no reload.
    func check(from before: Subject, to after: Subject, reload: Int? = nil) -> [CheckFinding] {
        guard case .success(let first) = before.file, case .success(let second) = after.file else { return [] }
        return linter.check(reloadFrom: first, to: second).map {
            CheckFinding($0, in: second, name: after.name, reload: reload)
        }
    }

    /// Says something about a playlist on standard error.
    static func complain(_ note: String?, of name: String) {
        if let note { Terminal.complain("note: \(PlaylistText.shown(name)): \(note)") }
    }
}

/// A playlist on a command line.
struct PlaylistInput: Sendable {
    let location: PlaylistLocation
    /// What it is called in output: as the user typed it, without the password that a URL may hold.
    let name: String

    init(argument: String) throws(CommandFailure) {
        location = try PlaylistLocation(argument: argument)
        switch location {
        case .web(let url): name = url.absoluteString
        case .file, .standardInput: name = location.name
        }
    }
}

/// The findings of a presentation, under the names that its playlists have in output.
private struct Followed {
    private let root: LintFile
    private let references: [PresentationLoader.Reference]
    private let children: [String: PresentationLoader.Child]
    /// By what URIs are relative to, which is what the linter calls a file.
    private var files: [String: (file: LintFile, name: String)] = [:]
    /// What is odd about how the playlists came.
    private(set) var notes: [(name: String, note: String?)] = []
    private(set) var result = CheckFindings()

    init(
        root: LintFile,
        name: String,
        references: [PresentationLoader.Reference],
        children: [String: PresentationLoader.Child]
    ) {
        self.root = root
        self.references = references
        self.children = children
        result.files = [.init(name: name, kind: Playlist.Kind.multivariant.rawValue, problem: nil)]
        var seen: Set<String> = []
        for reference in references where seen.insert(reference.uri).inserted { take(reference) }
        files[root.name] = (root, name)
    }

    private mutating func take(_ reference: PresentationLoader.Reference) {
        switch children[reference.uri] {
        case .file(let file, let name, let note):
            guard files[file.name] == nil, file.name != root.name else { return }
            files[file.name] = (file, name)
            notes.append((name, note))
            result.files.append(.init(name: name, kind: file.playlist.kind.rawValue, problem: nil))
        case .overLimit(let diagnostic, let name):
            result.files.append(.init(name: name, kind: nil, problem: diagnostic.message))
        case .missing(let reason):
            result.files.append(.init(name: PlaylistText.cut(reference.uri), kind: nil, problem: reason))
        case .skipped, nil: break
        }
    }

    /// The playlist at a URI, if it was read.
    func file(_ uri: String) -> LintFile? {
        if case .file(let file, _, _) = children[uri] { file } else { nil }
    }

    /// Takes a finding of the linter.
    mutating func add(_ finding: LintFinding) {
        let (file, name) = files[finding.file].map { ($0.file, $0.name) } ?? (nil, PlaylistText.cut(finding.file))
        var reason: String?
        if finding.diagnostic.rule == .mediaPlaylistMissing {
            let causes = references.filter { $0.line == finding.diagnostic.line }.compactMap { children[$0.uri] }
            // Nobody knows about one that was not asked for.
            if causes.contains(where: { if case .skipped = $0 { true } else { false } }) { return }
            reason = causes.lazy.compactMap(\.reason).first
        }
        result.findings.append(CheckFinding(finding.diagnostic, in: file, name: name, reason: reason))
    }

    /// Adds the playlists that pass a limit, which the linter never gets to see.
    mutating func addLimits() {
        var seen: Set<String> = []
        for reference in references where seen.insert(reference.uri).inserted {
            guard case .overLimit(let diagnostic, let name) = children[reference.uri] else { continue }
            result.findings.append(CheckFinding(diagnostic, in: nil, name: name))
        }
    }
}

extension PresentationLoader.Child {
    /// Why it is not there.
    fileprivate var reason: String? {
        switch self {
        case .missing(let reason): reason
        case .overLimit(let diagnostic, _): diagnostic.message
        case .file, .skipped: nil
        }
    }
}

extension RuleID {
    /// A Media Playlist that cannot be read.
    static let mediaPlaylistMissing: RuleID = "media-playlist-missing"
}
