import DRMSignaling
import Packager
import ToolSupport

/// The title of a presentation on a development server, with a track for each class, so that all keys of the
/// presentation are found together. Existing titles and tracks are not changed.
actor TitleRegistrar {
    /// The name of the title.
    nonisolated let name: String
    private let client: KeyServerClient
    private let keyURI: KeyURITemplate?
    private var known: Set<String> = []
    private var hasTitle = false
    /// The title and the tracks that this run has created.
    private var createdTitle = false
    private var createdTracks: [String] = []

    /// Creates a registrar.
    ///
    /// - Parameter keyURI: The template of key URIs; nil for the server's default.
    /// - Throws: ``CommandFailure`` if the server does not allow the name.
    init(_ name: String, keyURI: KeyURITemplate?, on client: KeyServerClient) throws(CommandFailure) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isName, (1...100).contains(name.utf8.count) else {
            throw .usage(
                "--title: with --dev, a title of this name is registered on the server, where names consist of 1 to 100 "
                    + "letters, digits, periods, hyphens, and underscores",
                next: "give a name such as my-film"
            )
        }
        self.name = name
        self.keyURI = keyURI
        self.client = client
    }

    /// Returns the name of a class's track, which is created if it does not exist.
    ///
    /// - Throws: ``CommandFailure`` if the title has a track of this name for another kind of media.
    func track(for trackClass: TrackClass) async throws -> String {
        let track = trackClass.uriName
        guard !known.contains(track) else { return track }
        if !hasTitle {
            if try await !client.hasTitle(name) {
                try await client.createTitle(name, keyURI: keyURI?.text)
                createdTitle = true
            }
            hasTitle = true
        }
        if let kind = try await client.kind(ofTrack: track, of: name) {
            guard kind == track else {
                throw CommandFailure.input(
                    "the title \(name) has a track named \(track) whose kind is \(kind)",
                    next: "give another --title"
                )
            }
        } else {
            try await client.createTrack(track, of: name)
            createdTracks.append(track)
        }
        known.insert(track)
        return track
    }

    /// Deletes the tracks and the title that this run has created, except the tracks of classes that still have keys.
    func withdraw(keeping classes: Set<TrackClass>) async {
        let kept = Set(classes.map(\.uriName))
        for track in createdTracks where !kept.contains(track) { try? await client.deleteTrack(track, of: name) }
        if createdTitle, kept.isEmpty { try? await client.deleteTitle(name) }
        (createdTracks, createdTitle, hasTitle, known) = ([], false, false, [])
    }
}
