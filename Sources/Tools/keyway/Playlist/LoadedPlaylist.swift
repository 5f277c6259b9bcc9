import HLSPlaylist
import TextCoding
import ToolSupport

/// A playlist that was loaded to show or compare it.
struct LoadedPlaylist: Sendable {
    /// The name of the playlist in output.
    let name: String
    let playlist: Playlist
    /// The number of parsing errors.
    let errors: Int

    /// Loads a playlist, and parses it leniently.
    ///
    /// - Throws: A failure of kind `input` for input that is not a playlist or exceeds a limit.
    static func read(_ input: PlaylistInput, _ loader: PlaylistLoader) async throws(CommandFailure) -> LoadedPlaylist {
        let loaded = try await loader.load(input.location)
        PlaylistChecker.printNote(loaded.note, of: input.name)
        let options = loader.options(for: loaded)
        do {
            let (playlist, diagnostics) = try Playlist.parseLeniently(loaded.bytes, options: options)
            if diagnostics.contains(where: { $0.rule == .missingExtM3U }) {
                throw CommandFailure.input(
                    "\(input.name) is \(FileKind(Array(loaded.bytes.prefix(4096))).description), not a playlist",
                    next: "a playlist begins with #EXTM3U"
                )
            }
            let errors = diagnostics.count { $0.severity == .error }
            return LoadedPlaylist(name: input.name, playlist: playlist, errors: errors)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .input("\(input.name): \(error)")
        }
    }

    /// The note about the parsing errors; nil if there are none.
    var note: String? {
        guard errors > 0 else { return nil }
        let text = counted(errors, "parsing error")
        return "\(text), so lines may be missing here: run keyway playlist check to locate them"
    }
}
