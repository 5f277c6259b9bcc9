import HLSPlaylist

/// A playlist that is shown or compared.
struct ReadPlaylist: Sendable {
    /// What the user calls it.
    let name: String
    let playlist: Playlist
    /// How many errors the reader found.
    let errors: Int

    /// Reads a playlist, leniently.
    ///
    /// - Throws: a failure of kind input for what is no playlist, or passes a limit.
    static func read(_ argument: String, _ loader: PlaylistLoader) async throws(CommandFailure) -> ReadPlaylist {
        let input = try PlaylistInput(argument: argument)
        let loaded = try await loader.load(input.location)
        PlaylistJudge.complain(loaded.note, of: input.name)
        let options = ParsingOptions(url: loaded.location.isRemote ? loaded.location.base : nil)
        do {
            let (playlist, diagnostics) = try Playlist.parseLeniently(loaded.bytes, options: options)
            if diagnostics.contains(where: { $0.rule == .missingExtM3U }) {
                throw CommandFailure.input(
                    "\(input.name) is \(FileKind(Array(loaded.bytes.prefix(4096))).words), not a playlist",
                    next: "a playlist begins with #EXTM3U"
                )
            }
            let errors = diagnostics.count { $0.severity == .error }
            return ReadPlaylist(name: input.name, playlist: playlist, errors: errors)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .input("\(input.name): \(error)")
        }
    }

    /// What to say of the errors.
    var note: String? {
        guard errors > 0 else { return nil }
        let words = errors == 1 ? "1 error was found while reading" : "\(errors) errors were found while reading"
        return "\(words), and lines may be missing here: keyway playlist check says where"
    }
}
