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
        guard let words = words(event), !isQuiet else { return }
        for line in words.split(separator: "\n") { Terminal.complain(escaped(String(line))) }
    }

    private func words(_ event: PlayerEvent) -> String? {
        switch event {
        case .loadedMultivariant(let playlist):
            return "variants: \(playlist.variants.count), session keys: \(playlist.sessionKeys.count)"
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
        case .switched(let decision):
            variant = decision.variant.map(Self.words)
            return "goes on with \(variant ?? "nothing"): \(Self.words(decision.reason))"
        case .retrying(let error, let attempt): return "\(error); attempt \(attempt)"
        case .reloaded(let track, let count): return "\(track.rawValue) loaded again: \(count) new segments"
        case .live(let track, let notice): return "\(track.rawValue): \(Self.words(notice))"
        case .missed(let track, .gap(let numbers, let seconds)):
            return "\(track.rawValue) has a gap: segments \(numbers.lowerBound) to \(numbers.upperBound), "
                + Self.seconds(seconds)
        case .missed(let track, .fellOutOfWindow(let next, let other, let seconds)):
            return "\(track.rawValue) fell behind: segment \(next) has left the playlist, goes on with \(other), "
                + "\(Self.seconds(seconds)) were missed"
        case .playback(let transition): return Self.words(transition)
        }
    }

    /// The report at the end.
    func report(_ report: PlaybackReport, playlist: String, to output: String, keys: PlayKeys) async -> Report {
        let headline = "Played \(escaped(playlist)) to \(escaped(output))"
        return await Report(playback: report, headline: headline, variant: variant, accesses: keys.accesses)
    }

    private static func words(_ variant: Variant) -> String {
        let size = variant.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        return "\(size)\(variant.bandwidth) bit/s \(variant.codecs.joined(separator: ","))"
    }

    private static func words(_ reason: QualityDecision.Reason) -> String {
        switch reason {
        case .start: "the first"
        case .steady: "nothing asks for another"
        case .onlyOne: "there is no other"
        case .throughput(let rate): "\(rate / 1000) kbit/s were measured"
        case .bufferLow(let ahead): "only \(seconds(ahead)) are left"
        case .bufferRich(let ahead): "\(seconds(ahead)) are left"
        case .tooSoon: "it was changed a moment ago"
        case .runningDry(let needed, let ahead): "it would take \(seconds(needed)), and \(seconds(ahead)) are left"
        case .failed(let failure): "the other failed, \(words(failure))"
        case .noLongerFits(let reasons): reasons.map { "\($0)" }.joined(separator: "; ")
        case .allSetAside: "all have failed"
        case .nothingPlayable: "none can be played"
        }
    }

    private static func words(_ failure: VariantFailure) -> String {
        switch failure {
        case .status(let status): "status \(status)"
        case .noAnswer: "no answer"
        case .stale: "its playlist does not go on"
        case .unreadable: "it cannot be read"
        case .keyRefused: "its key was refused"
        }
    }

    private static func words(_ notice: LiveReloadNotice) -> String {
        switch notice {
        case .stale(let time): "nothing new for \(seconds(time / .seconds(1)))"
        case .noAnswer(let attempts): "the playlist does not come, attempt \(attempts)"
        case .refused(let refusal): "the playlist is refused: \(refusal)"
        }
    }

    private static func words(_ transition: BufferModel.Transition) -> String {
        switch transition {
        case .started(let position, let waited):
            "a viewer sees \(seconds(position)) after \(seconds(waited / .seconds(1)))"
        case .stalled(let position, _): "a viewer waits at \(seconds(position))"
        case .resumed(let position, let time):
            "it goes on at \(seconds(position)) after \(seconds(time / .seconds(1)))"
        case .jumped(let from, let to): "a viewer misses \(seconds(from)) to \(seconds(to))"
        case .ended(let position): "a viewer has seen it all, \(seconds(position))"
        }
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.3f s", value) }

    private static func size(_ bytes: Int) -> String { String(format: "%.1f KiB", Double(bytes) / 1024) }
}
