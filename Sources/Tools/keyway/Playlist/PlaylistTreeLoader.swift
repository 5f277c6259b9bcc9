import HLSPlaylist
import Synchronization

/// A loader of the Media Playlists of a Multivariant Playlist.
struct PlaylistTreeLoader: Sendable {
    let loader: PlaylistLoader
    /// The maximum number of playlists to load.
    let limit: Int
    /// The number of concurrent requests.
    private static let concurrency = 4

    /// The result of loading a Media Playlist.
    enum Child: Sendable {
        /// The playlist was loaded; `name` is its name in output.
        case file(LintFile, name: String, note: String?)
        /// The playlist exceeds a limit of the parser.
        case overLimit(Diagnostic, name: String)
        /// The playlist could not be read, or must not be read.
        case missing(reason: String)
        /// The playlist was not loaded, because the maximum number was reached.
        case skipped
    }

    /// A URI of a Media Playlist in a Multivariant Playlist.
    struct Reference: Sendable {
        /// The line of the tag.
        let line: Int
        /// The URI, resolved.
        let uri: String
    }

    /// Returns the URIs of variants, I-frame variants and renditions, in the order of the lines.
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

    /// Loads the playlists, each URI only once.
    ///
    /// - Parameters:
    ///   - references: The result of ``references(of:)``.
    ///   - location: The location of the Multivariant Playlist.
    ///   - variables: The variables that the Multivariant Playlist defines.
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
            for _ in 0..<Self.concurrency { start() }
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
        guard budget.consume(loaded.bytes.count) else {
            return .missing(reason: "the Media Playlists together exceed \(loader.limit >> 20) MiB")
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

    /// The number of bytes that may still be read. Without this limit, a short playlist could make the loader read any
    /// amount of data.
    private final class Budget: Sendable {
        private let bytes: Mutex<Int>

        init(_ bytes: Int) { self.bytes = Mutex(bytes) }

        var rest: Int { bytes.withLock { $0 } }

        func consume(_ count: Int) -> Bool {
            bytes.withLock { rest in
                guard count <= rest else { return false }
                rest -= count
                return true
            }
        }
    }
}
