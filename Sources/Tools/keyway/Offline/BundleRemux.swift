import FileWriting
import HLSPlaylist
import OfflineAssets
import StreamPlayer
import TextCoding
import ToolSupport

/// Writes a downloaded presentation to one file, for `keyway download --remux`.
enum BundleRemux {
    /// Opens the output file, which is written completely or not at all.
    static func output(_ path: String) throws(CommandFailure) -> StreamOutput {
        do throws(FileError) {
            return StreamOutput(try OutputFile(path))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Plays a bundle to an output. Returns a note about it.
    static func write(
        _ bundle: AssetBundle,
        keys: PlayerKeySystems,
        to output: StreamOutput,
        _ path: String
    ) async throws(CommandFailure) -> String {
        var settings = PlayerSettings()
        // Files are not limited by a network, so the best variant is selected from the first segment on.
        settings.abilities.throughput = 1 << 50
        settings.isAdaptive = false
        settings.attempts = 1
        let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
        do throws(PlayerError) {
            let report = try await player.play(bundle.mainPlaylistURL, to: output)
            let seconds = Int(report.duration.rounded())
            return "written to \(path): \(counted(seconds, "second"))"
        } catch {
            var next = "the download itself is complete"
            if case .output = error.cause { next += "; keyway offline play --out FOLDER/ writes a file for each track" }
            throw CommandFailure(kind: .input, what: "--remux: \(error)", next: next)
        }
    }
}
