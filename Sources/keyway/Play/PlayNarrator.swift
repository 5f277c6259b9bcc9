import ContentKeySession
import Foundation
import HLSPlaylist
import StreamPlayer

/// Says on standard error what a player does, a line for each event.
actor PlayNarrator {
    private let isQuiet: Bool
    private var variant: String?
    private var rejected: [String] = []

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func tell(_ event: PlayerEvent) {
        guard let line = words(event), !isQuiet else { return }
        Terminal.complain(escaped(line))
    }

    private func words(_ event: PlayerEvent) -> String? {
        switch event {
        case .loadedMultivariant(let playlist):
            return "\(playlist.variants.count) variants, \(playlist.sessionKeys.count) session keys"
        case .selected(let selection):
            variant = selection.variant.map(Self.words)
            rejected = selection.rejected.map { rejected in
                "\(Self.words(rejected.variant)): " + rejected.reasons.map { "\($0)" }.joined(separator: "; ")
            }
            return "plays \(variant ?? "nothing")" + rejected.map { "\n  not \($0)" }.joined()
        case .played(let segment):
            let size = Self.size(segment.byteCount)
            let time = (segment.loadTime / .milliseconds(1)).rounded()
            return "\(segment.track.rawValue) \(segment.mediaSequenceNumber)  \(segment.name)  "
                + "\(Self.seconds(segment.duration))  \(size) in \(Int(time)) ms"
                + (segment.isEncrypted ? "  decrypted" : "  clear")
        case .switched(let index, let reason): return "goes on with variant \(index): \(reason)"
        case .retrying(let error, let attempt): return "\(error); attempt \(attempt)"
        case .reloaded(let track, let count): return "\(track.rawValue) loaded again: \(count) new segments"
        case .skipped(let track, let count): return "\(track.rawValue) skips \(count) segments that are not there"
        case .stalled: return "a viewer would wait now"
        }
    }

    /// The report at the end.
    func report(_ report: PlaybackReport, playlist: String, to output: String, keys: PlayKeys) async -> Report {
        var shown = Report(kind: "playback", headline: "Played \(escaped(playlist)) to \(escaped(output))")
        var fields = report.segments.sorted { $0.key.rawValue < $1.key.rawValue }.map { track, count in
            Field("\(track.rawValue) segments", .number(count))
        }
        fields += [
            Field("encrypted", .number(report.encryptedSegments)),
            Field("seconds of media", .text(Self.seconds(report.duration))),
            Field("bytes", .number(report.byteCount)),
            Field(
                "start-up",
                .text(report.startUpTime.map { "\(Int(($0 / .milliseconds(1)).rounded())) ms" } ?? "none")
            ),
            Field("switches", .number(report.switches)),
            Field("stalls", .number(report.stalls)),
            Field("retries", .number(report.retries)),
            Field("skipped", .number(Int(clamping: report.skippedSegments))),
        ]
        if let variant { fields.insert(Field("variant", .text(variant)), at: 0) }
        shown.tables.append(FieldTable(title: "Played", fields: fields))
        let accesses = await keys.accesses
        if !accesses.isEmpty {
            let rows = accesses.map { access in
                let time = "\(Int((access.duration / .milliseconds(1)).rounded())) ms"
                let shared = access.batchSize > 1 ? ", one of \(access.batchSize) in a round trip" : ""
                return Field("\(access.label)", .text("\(access.kind.rawValue), \(time)\(shared)"))
            }
            shown.tables.append(FieldTable(title: "Keys", remark: "as the key loader asked for them", fields: rows))
        }
        return shown
    }

    private static func words(_ variant: Variant) -> String {
        let size = variant.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        return "\(size)\(variant.bandwidth) bit/s \(variant.codecs.joined(separator: ","))"
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.3f s", value) }

    private static func size(_ bytes: Int) -> String { String(format: "%.1f KiB", Double(bytes) / 1024) }
}
