import ContentKeySession
import Foundation
import HLSPlaylist
import StreamPlayer
import TextCoding
import ToolSupport
import VirtualDevice

/// A printer of player events on standard error, one line for each event.
actor PlaybackEventPrinter {
    private let isQuiet: Bool
    private var variant: String?
    private var rejected: [String] = []

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func print(_ event: PlayerEvent) {
        guard let text = text(event), !isQuiet else { return }
        for line in text.split(separator: "\n") { Terminal.writeError(escaped(String(line))) }
    }

    private func text(_ event: PlayerEvent) -> String? {
        switch event {
        case .loadedMultivariant(let playlist):
            return "variants: \(playlist.variants.count), session keys: \(playlist.sessionKeys.count)"
        case .selected(let selection):
            variant = selection.variant.map(Self.text)
            rejected = selection.rejected.map { rejected in
                "\(Self.text(rejected.variant)): " + rejected.reasons.map { "\($0)" }.joined(separator: "; ")
            }
            return "playing \(variant ?? "nothing")" + rejected.map { "\n  rejected: \($0)" }.joined()
        case .played(let segment):
            let size = Self.size(segment.byteCount)
            let time = (segment.loadTime / .milliseconds(1)).rounded()
            return "\(segment.track.rawValue) \(segment.mediaSequenceNumber)  \(segment.name)  "
                + "\(Self.seconds(segment.duration))  \(size) in \(Int(time)) ms"
                + (segment.isEncrypted ? "  decrypted" : "  clear")
        case .switched(let decision):
            variant = decision.variant.map(Self.text)
            return "switched to \(variant ?? "nothing"): \(Self.text(decision.reason))"
        case .retrying(let error, let attempt): return "\(error); attempt \(attempt)"
        case .reloaded(let track, let count):
            return "\(track.rawValue) playlist reloaded: \(counted(count, "new segment"))"
        case .live(let track, let notice): return "\(track.rawValue): \(Self.text(notice))"
        case .missed(let track, .gap(let numbers, let seconds)):
            return "\(track.rawValue) has a gap: segments \(numbers.lowerBound) to \(numbers.upperBound), "
                + Self.seconds(seconds)
        case .missed(let track, .fellOutOfWindow(let next, let other, let seconds)):
            return "\(track.rawValue) fell behind: segment \(next) is no longer in the playlist; continuing with "
                + "\(other), \(Self.seconds(seconds)) missed"
        case .playback(let transition): return Self.text(transition)
        }
    }

    /// Returns the reasons why no variant could be chosen, if that is the error.
    func rejections(after error: PlayerError, profile: ProfileArgument?) -> String? {
        guard case .nothingPlayable = error.cause, !rejected.isEmpty else { return nil }
        let advice = profile.map { ["give another --profile than \($0.value.name), or none"] } ?? []
        return (rejected + advice).joined(separator: "; ")
    }

    /// Returns the report at the end of playback.
    func report(_ report: PlaybackReport, playlist: String, to output: String, keys: PlayKeys) async -> Report {
        let headline = "Played \(escaped(playlist)) to \(escaped(output))"
        return await Report(playback: report, headline: headline, variant: variant, accesses: keys.accesses)
    }

    private static func text(_ variant: Variant) -> String {
        let size = variant.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        return "\(size)\(variant.bandwidth) bit/s \(variant.codecs.joined(separator: ","))"
    }

    private static func text(_ reason: QualityDecision.Reason) -> String {
        switch reason {
        case .start: "first variant"
        case .steady: "no reason to switch"
        case .onlyOne: "no other variant"
        case .throughput(let rate): "measured throughput \(rate / 1000) kbit/s"
        case .bufferLow(let ahead): "only \(seconds(ahead)) buffered"
        case .bufferHigh(let ahead): "\(seconds(ahead)) buffered"
        case .tooSoon: "the last switch was too recent"
        case .bufferDraining(let needed, let ahead):
            "the download would take \(seconds(needed)), \(seconds(ahead)) buffered"
        case .failed(let failure): "the other variant failed: \(text(failure))"
        case .noLongerFits(let reasons): reasons.map { "\($0)" }.joined(separator: "; ")
        case .allExcluded: "all variants have failed"
        case .nothingPlayable: "no variant can be played"
        }
    }

    private static func text(_ failure: VariantFailure) -> String {
        switch failure {
        case .status(let status): "status \(status)"
        case .noResponse: "no response"
        case .stale: "its playlist is not updated"
        case .unreadable: "it cannot be parsed"
        case .keyRefused: "its key was refused"
        }
    }

    private static func text(_ notice: LiveReloadNotice) -> String {
        switch notice {
        case .stale(let time): "no new segments for \(seconds(time / .seconds(1)))"
        case .noResponse(let attempts): "the playlist cannot be loaded, attempt \(attempts)"
        case .refused(let refusal): "the playlist is rejected: \(refusal)"
        }
    }

    private static func text(_ transition: BufferModel.Transition) -> String {
        switch transition {
        case .started(let position, let waited):
            "playback started at \(seconds(position)) after \(seconds(waited / .seconds(1)))"
        case .stalled(let position, _): "playback stalled at \(seconds(position))"
        case .resumed(let position, let time):
            "playback resumed at \(seconds(position)) after \(seconds(time / .seconds(1)))"
        case .jumped(let from, let to): "playback skipped from \(seconds(from)) to \(seconds(to))"
        case .ended(let position): "playback ended at \(seconds(position))"
        }
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.3f s", value) }

    private static func size(_ bytes: Int) -> String { String(format: "%.1f KiB", Double(bytes) / 1024) }
}
