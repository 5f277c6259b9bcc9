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
    private let languages: [String]
    private var variant: String?
    private var rejected: [String] = []
    /// The notes for the report: tracks that were omitted, and languages that the stream does not have.
    private(set) var notes: [String] = []

    /// Creates a printer.
    ///
    /// - Parameters:
    ///   - isQuiet: Whether nothing is printed; ``notes`` are still collected.
    ///   - languages: The requested languages. If there is no audio in any of them, this is noted.
    init(isQuiet: Bool, languages: [String] = []) { (self.isQuiet, self.languages) = (isQuiet, languages) }

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
            let missing = missingLanguage(selection).map { "\n\($0)" } ?? ""
            return "playing \(variant ?? "nothing")" + rejected.map { "\n  rejected: \($0)" }.joined() + missing
        case .played(let segment):
            let size = Self.size(segment.byteCount)
            let time = (segment.loadTime / .milliseconds(1)).rounded()
            return "\(segment.track.rawValue) \(segment.mediaSequenceNumber)  \(segment.name)  "
                + "\(Self.seconds(segment.duration))  \(size) in \(Int(time)) ms"
                + (segment.isEncrypted ? "  decrypted" : "  clear")
        case .omitted(let track, let error):
            let note = "no \(track.rawValue): \(error)"
            notes.append(escaped(note))
            return note
        case .switched(let decision):
            variant = decision.variant.map(Self.text)
            return "switched to \(variant ?? "nothing"): \(Self.text(decision.reason))"
        case .retrying(let error, let attempt): return "\(error); attempt \(attempt)"
        case .reloaded(let track, let count):
            return "\(track.rawValue) playlist reloaded: \(counted(count, "new segment"))"
        case .live(let track, let notice): return "\(track.rawValue): \(notice)"
        case .missed(let track, .gap(let numbers, let seconds)):
            return "\(track.rawValue) has a gap: segments \(numbers.lowerBound) to \(numbers.upperBound), "
                + Self.seconds(seconds)
        case .missed(let track, .fellOutOfWindow(let next, let other, let seconds)):
            return "\(track.rawValue) fell behind: segment \(next) is no longer in the playlist; continuing with "
                + "\(other), \(Self.seconds(seconds)) missed"
        case .playback(let transition): return Self.text(transition)
        }
    }

    /// Returns, and notes, that there is no audio in the requested languages.
    private func missingLanguage(_ selection: Selection) -> String? {
        let audio = selection.renditions.filter { $0.rendition.type == .audio }
        let isFound = audio.contains { $0.reasons.contains { if case .language = $0 { true } else { false } } }
        guard !languages.isEmpty, selection.variant != nil, !isFound else { return nil }
        let others = selection.rejectedRenditions.map(\.rendition).filter { $0.type == .audio }
        let available = Set((audio.map(\.rendition) + others).compactMap(\.language)).sorted()
        let found =
            available.isEmpty
            ? "the stream does not declare the language of its audio"
            : "the stream has \(available.joined(separator: ", "))"
        let note = "no audio in \(languages.joined(separator: ", ")): \(found)"
        notes.append(escaped(note))
        return note
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
        var result = await Report(playback: report, headline: headline, variant: variant, accesses: keys.accesses)
        result.notes += notes
        return result
    }

    private static func text(_ variant: Variant) -> String {
        let size = variant.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        let rate = variant.bandwidth > 0 ? "\(variant.bandwidth) bit/s" : "unknown bit rate"
        return "\(size)\(rate) \(variant.codecs.joined(separator: ","))"
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
