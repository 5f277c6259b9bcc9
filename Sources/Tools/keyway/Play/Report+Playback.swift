import ContentKeySession
import Foundation
import StreamPlayer
import ToolSupport

extension Report {
    /// The note that decrypted media may be damaged.
    static let uncheckedKeys =
        "whether the keys are those of the media was not checked: keyway doctor decrypts a segment of each playlist, and "
        + "recognizes a wrong key"

    /// Creates the final report of `keyway play`. Field names include the unit, because they are also JSON keys.
    init(playback: PlaybackReport, headline: String, variant: String?, accesses: [KeyAccess]) {
        self.init(kind: "playback", headline: headline)
        tables.append(FieldTable(title: "Played", fields: Self.fields(playback, variant: variant)))
        if playback.encryptedSegments > 0 { notes.append(Self.uncheckedKeys) }
        if !accesses.isEmpty { tables.append(Self.table(accesses)) }
    }

    private static func fields(_ playback: PlaybackReport, variant: String?) -> [Field] {
        var fields = variant.map { [Field("variant", .text($0))] } ?? []
        fields += playback.segments.sorted { $0.key.rawValue < $1.key.rawValue }.map { track, count in
            Field("\(track.rawValue) segments", .number(count))
        }
        fields += [
            Field("encrypted", .number(playback.encryptedSegments)),
            Field("seconds of media", rounded(playback.duration)),
            Field("bytes", .number(playback.byteCount)),
        ]
        if playback.parts > 0 { fields.append(Field("parts", .number(playback.parts))) }
        if let latency = playback.latency {
            fields += [
                Field("seconds of latency", rounded(latency.last)),
                Field("lowest seconds of latency", rounded(latency.minimum)),
                Field("highest seconds of latency", rounded(latency.maximum)),
            ]
        }
        if let time = playback.startUpTime { fields.append(Field("milliseconds to start", milliseconds(time))) }
        fields += [
            Field("switches up", .number(playback.switches.up)),
            Field("switches down", .number(playback.switches.down)),
            Field("downloads abandoned", .number(playback.switches.abandoned)),
            Field("stalls", .number(playback.stalls.count)),
            Field("seconds of stalls", rounded(playback.stalls.total / .seconds(1))),
            Field("retries", .number(playback.retries)),
            Field("seconds missed", rounded(playback.missedSeconds)),
        ]
        return fields
    }

    /// Returns a table with a row for each request of a key or certificate. Times are relative to the first request.
    private static func table(_ accesses: [KeyAccess]) -> FieldTable {
        let begin = accesses.map { $0.time - $0.duration }.min() ?? .zero
        let end = accesses.map(\.time).max() ?? .zero
        let rows = accesses.map { access in
            let time = "\(Int((access.duration / .milliseconds(1)).rounded())) ms"
            let shared = access.batchSize > 1 ? ", one of \(access.batchSize) in a batch" : ""
            return FieldTable(
                title: escaped("\(access.label)"),
                remark: "\(access.kind.rawValue), \(time)\(shared)",
                heading: [
                    Field("label", .text("\(access.label)")),
                    Field("kind", .text(access.kind.rawValue)),
                    Field("milliseconds until requested", milliseconds(access.time - access.duration - begin)),
                    Field("milliseconds until loaded", milliseconds(access.time - begin)),
                    Field("attempts", .number(access.attempts)),
                    // The number of keys in the batch, including this one; a certificate is requested separately.
                    Field("batch size", .number(max(1, access.batchSize))),
                ]
            )
        }
        return FieldTable(
            title: "Keys",
            remark: "as requested by the key loader",
            fields: [
                Field("keys", .number(accesses.count { $0.kind != .certificate })),
                Field("milliseconds for all", milliseconds(end - begin)),
            ],
            blocks: rows
        )
    }

    /// Returns milliseconds, rounded to microseconds.
    private static func milliseconds(_ time: Duration) -> FieldValue { rounded(time / .milliseconds(1)) }

    /// Returns a number rounded to three decimal places.
    private static func rounded(_ number: Double) -> FieldValue {
        .decimal((number * 1000).rounded() / 1000, unit: nil)
    }
}
