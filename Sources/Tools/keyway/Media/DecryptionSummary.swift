import MediaDecryption
import MediaFormats
import Packager
import TextCoding
import ToolSupport

/// The result of `keyway decrypt`.
struct DecryptionSummary {
    let input: String
    let output: String
    /// The tracks with their Media Playlists; nil for a single file.
    var tracks: [(playlist: String?, track: DecryptedTrack)] = []
    /// The number of files written.
    var files = 1

    /// Returns the result as text.
    func text(_ renderer: TextRenderer) -> String {
        var lines = [escaped("\(input): \(headline)")]
        if !tracks.isEmpty { lines += [""] + grid.lines(renderer) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The result as JSON.
    var json: JSONValue {
        .object([
            "input": .string(input), "output": .string(output), "files": .integer(Int(files)),
            "tracks": grid.json(JSONRenderer()),
        ])
    }

    private var headline: String {
        let what = files == 1 ? output : "\(files) files in \(output)"
        let count = tracks.reduce(0) { $0 + $1.track.decrypted }
        return count == 0 ? "nothing was encrypted; copied to \(what)" : "decrypted to \(what)"
    }

    private var grid: Grid {
        var grid = Grid(
            title: "Tracks",
            columns: ["playlist", "track", "format", "scheme", "decrypted", "clear", "keys"]
        )
        for (playlist, track) in tracks {
            let name = playlist.map { FieldValue.text($0) }
            let keys = track.keyIDs.map(\.hexadecimal)
            grid.rows.append(
                Grid.Row(
                    identity: [name ?? .text(""), .text(track.name)],
                    cells: [
                        name, .text(track.name), .text(track.format), .text(track.scheme),
                        .number(track.decrypted), .number(track.clear), keys.isEmpty ? nil : .list(keys),
                    ]
                )
            )
        }
        return grid
    }
}
