import HLSPlaylist
import Synchronization

/// Reads the Media Playlists that a Multivariant Playlist names.
struct PresentationLoader: Sendable {
    let loader: PlaylistLoader
    /// How many playlists are read at most.
    let limit: Int
    /// How many are on their way at once.
    private static let width = 4

    /// What became of a Media Playlist.
    enum Child: Sendable {
        /// It was read; `name` is what it is called in output.
        case file(LintFile, name: String, note: String?)
        /// It passes a limit of the library.
        case overLimit(Diagnostic, name: String)
        /// It could not be read, or must not be.
        case missing(reason: String)
        /// There are more than are read.
        case skipped
    }

    /// A URI of a Multivariant Playlist that leads to a Media Playlist.
    struct Reference: Sendable {
        /// The line of its tag.
        let line: Int
        /// The URI, resolved.
        let uri: String
    }

    /// The URIs of variants, I-frame variants and renditions, in the order of the lines.
    static func references(of file: LintFile) -> [Reference] {
        var references: [Reference] = []
        var pending: Int?
        func add(_ uri: String, _ line: Int) {
            references.append(Reference(line: line, uri: URIReference.resolve(uri, against: file.name)))
        }
        for line in file.lines {
            switch line.content {
            case .tag(.streamInf): pending = line.number
            case .refused(.streamInf): pending = nil
            case .uri(let uri):
                if let pending { add(uri, pending) }
                pending = nil
            case .tag(.media(let tag)): if let uri = tag.uri { add(uri, line.number) }
            case .tag(.iFrameStreamInf(let tag)): add(tag.uri, line.number)
            default: break
            }
        }
        return references
    }

    /// Reads them, each URI once.
    ///
    /// - Parameters:
    ///   - references: What ``references(of:)`` gave.
    ///   - location: Where the Multivariant Playlist was found.
    ///   - variables: Those that it defines.
    func load(
        _ references: [Reference],
        from location: PlaylistLocation,
        variables: [String: String]
    ) async -> [String: Child] {
        var seen: Set<String> = []
        let uris = references.map(\.uri).filter { seen.insert($0).inserted }
        let budget = Budget(loader.limit)
        var children: [String: Child] = [:]
        for uri in uris.dropFirst(limit) { children[uri] = .skipped }
        await withTaskGroup(of: (String, Child).self) { group in
            var waiting = uris.prefix(limit)[...]
            func start() {
                guard let uri = waiting.popFirst() else { return }
                group.addTask { (uri, await child(uri, location, variables, budget)) }
            }
            for _ in 0..<Self.width { start() }
            while let (uri, child) = await group.next() {
                children[uri] = child
                start()
            }
        }
        return children
    }

    private func child(
        _ uri: String,
        _ parent: PlaylistLocation,
        _ variables: [String: String],
        _ budget: Budget
    ) async -> Child {
        let loaded: PlaylistLoader.Loaded
        do {
            loaded = try await loader.load(uri, from: parent, limit: budget.rest)
        } catch {
            return .missing(reason: error.reason)
        }
        guard budget.take(loaded.bytes.count) else {
            return .missing(reason: "all Media Playlists together are longer than \(loader.limit >> 20) MiB")
        }
        let base = loaded.location.isRemote ? loaded.location.base : uri
        do {
            let options = ParsingOptions(url: base, importedVariables: variables)
            let file = try LintFile(name: base, bytes: loaded.bytes, options: options)
            return .file(file, name: loaded.location.name, note: loaded.note)
        } catch {
            return .overLimit(error.diagnostic, name: loaded.location.name)
        }
    }

    /// How many bytes may still be read: a few lines can name playlists without end.
    private final class Budget: Sendable {
        private let bytes: Mutex<Int>

        init(_ bytes: Int) { self.bytes = Mutex(bytes) }

        var rest: Int { bytes.withLock { $0 } }

        func take(_ count: Int) -> Bool {
            bytes.withLock { rest in
                guard count <= rest else { return false }
                rest -= count
                return true
            }
        }
    }
}
