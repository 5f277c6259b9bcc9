import Foundation
import HLSPlaylist
import HTTPRequests
import StreamValidation
import TextCoding
import ToolSupport
import VirtualDevice

/// The steps of `keyway doctor` that are about the presentation. The checks are the rules of `keyway validate`; each rule
/// that prevents playback belongs to a step.
struct ContentSteps: Sendable {
    let report: ValidationReport
    let input: PlaylistInput
    private let findings: [JudgedFinding]

    init(_ report: ValidationReport, input: PlaylistInput) {
        (self.report, self.input) = (report, input)
        findings = Judgment(report).findings.filter { $0.counts }
    }

    private var presentation: MeasuredPresentation { report.presentation }

    private var iFramePlaylists: Set<String> { Set(presentation.renditions.filter(\.isIFrames).map(\.name)) }

    /// The URIs of the FairPlay keys of all playlists, each once.
    var keyURIs: [String] {
        let used = presentation.renditions.lazy.flatMap(\.segments).compactMap { $0.keys[.fairPlay]?.uri }
        let announced = (presentation.playlist?.sessionKeys ?? []).map(\.key).filter { $0.keyFormat == .fairPlay }
        var known: Set<String> = []
        return (Array(used) + announced.compactMap(\.uri)).filter { known.insert($0).inserted }
    }

    /// The numbers of variants, playlists and keys, on one line.
    var overview: String {
        let playlists = counted(presentation.renditions.count, "Media Playlist")
        let kind = presentation.renditions.contains { $0.isLive } ? "live" : "video on demand"
        let variants = presentation.playlist.map { "\(counted($0.variants.count, "variant")), " } ?? ""
        return "\(kind), \(variants)\(playlists), \(counted(keyURIs.count, "FairPlay key"))"
    }

    // MARK: Findings

    /// The rules of each step, with the mark of a violation where the level alone does not determine it.
    private static let rules: [String: [String: Diagnosis.Mark]] = [
        "delivery": [
            "playlist-media-type": .warning, "segment-media-type": .warning, "not-secure": .warning,
            "tls-version": .warning, "tls-key-short": .warning, "range-ignored": .failed,
            "live-playlist-cached-long": .warning,
        ],
        "keys": [
            "fairplay-keyformat": .failed, "fairplay-method": .failed, "fairplay-iv": .failed,
            "fairplay-without-versions": .warning, "fairplay-versions-unknown": .failed, "fairplay-uri-scheme": .failed,
            "fairplay-uri-relative": .failed, "fairplay-uri-empty": .failed, "skd-with-identity": .failed,
            "key-methods-differ": .failed, "key-ivs-differ": .failed, "keyformat-set-changes": .warning,
            "enc-not-signaled": .failed, "enc-scheme": .failed, "enc-pattern": .warning, "enc-iv-size": .failed,
            "enc-kid-differs": .warning, "enc-codec-in-transport-stream": .failed,
        ],
        "terms": [
            "lic-hdcp": .warning, "lic-cpc": .warning, "lic-lease": .failed, "lic-offline": .failed,
            "key-same": .warning,
        ],
        "segments": [
            "playlist-missing": .failed, "segment-missing": .failed, "segment-unreadable": .failed, "enc-senc": .failed,
            "enc-signaled-clear": .failed,
        ],
        "decryption": [
            "key-wrong": .failed, "key-iv-wrong": .failed, "key-not-encrypted": .failed, "key-boundary": .failed,
            "key-swapped": .failed, "key-weak": .warning, "key-iv-playlist": .warning, "key-kid": .warning,
        ],
        "live": [
            "playlist-stale": .failed, "enc-key-stale": .warning, "enc-rotation-apart": .warning, "lic-lead": .warning,
        ],
    ]

    /// Returns the violations of a step's rules. A violation of a level below MUST is a warning, if it would be a failure.
    func problems(of step: String) -> [Diagnosis.Problem] {
        let (rules, iFramePlaylists) = (Self.rules[step] ?? [:], iFramePlaylists)
        return findings.compactMap { finding in
            guard var mark = rules[finding.rule.id.rawValue], finding.level > .advice else { return nil }
            // I-frame playlists are for seeking only.
            if iFramePlaylists.contains(finding.place.playlist) { mark = .warning }
            if finding.rule.id.rawValue == "not-secure", isOnThisMachine { return nil }
            let (sentence, advice) = Self.split(finding)
            let text = "\(finding.place.text): \(sentence)"
            // Which of these stop playback depends on the player; their rules call them warnings.
            let isAlwaysFatal = step == "keys" || finding.rule.id.rawValue == "playlist-stale"
            return mark == .failed && (finding.level >= .must || isAlwaysFatal)
                ? .failure(finding.rule.id.rawValue, text, remedy: advice)
                : .warning(finding.rule.id.rawValue, text, remedy: advice)
        }
    }

    /// Returns what is wrong, and what to do. The messages of rules about the text of playlists end with the latter.
    private static func split(_ finding: JudgedFinding) -> (sentence: String, advice: String) {
        if let advice = finding.rule.advice { return (finding.sentence, advice) }
        guard let colon = finding.sentence.range(of: ": ", options: .backwards) else {
            return (finding.sentence, "`keyway validate` and docs/validate-rules.md have the details.")
        }
        let advice = finding.sentence[colon.upperBound...]
        return ("\(finding.sentence[..<colon.lowerBound]).", "\(advice.prefix(1).uppercased())\(advice.dropFirst()).")
    }

    /// True if the playlist is on this machine, where TLS is not needed for a test.
    private var isOnThisMachine: Bool { input.url?.host.map { PrivateHost.isPrivate($0) } ?? true }

    // MARK: Steps

    /// The delivery: redirections, media types, compression, TLS, and CORS.
    func delivery(origin: String?, client: WebClient) async -> Diagnosis.Step {
        guard let url = input.url else { return .skipped("delivery", "the playlist is a file") }
        let http = presentation.http ?? presentation.renditions.first?.http
        var facts: [String] = []
        if let http {
            facts.append(http.isSecure == true ? "https" : "http")
            if http.redirections > 0 { facts.append("redirected") }
            if let type = http.contentType { facts.append(PlaylistText.printable(type)) }
            facts.append(http.contentEncoding.map { PlaylistText.printable($0) } ?? "not compressed")
        }
        var step = Diagnosis.Step("delivery", facts.joined(separator: ", "), problems: problems(of: "delivery"))
        guard let origin else { return step }
        var request = BoundedHTTP.Request(url.absoluteString, timeout: .seconds(30), maximumResponseSize: 16 << 20)
        request.headers = [.init("User-Agent", "keyway"), .init("Origin", origin)]
        guard let answer = try? await client.send(request, while: nil) else { return step }
        let permitted = answer.header("Access-Control-Allow-Origin")
        if permitted != "*", permitted != origin {
            step.problems.append(
                .failure(
                    "cors-playlist",
                    "The server of the playlist does not permit pages of \(origin) to read it.",
                    remedy: "Send Access-Control-Allow-Origin with playlists, segments, and errors; Safari's own "
                        + "player does not need it, players in JavaScript do."
                )
            )
        }
        return step
    }

    /// The EXT-X-KEY and EXT-X-SESSION-KEY tags.
    var keys: Diagnosis.Step {
        let uris = keyURIs
        var step = Diagnosis.Step("keys", "the playlists have no FairPlay key", problems: problems(of: "keys"))
        if !uris.isEmpty {
            let shown = uris.prefix(4).map { PlaylistText.printable(PlaylistText.redacted($0)) }
            step.summary = shown.joined(separator: ", ") + (uris.count > 4 ? ", and \(uris.count - 4) more" : "")
        }
        return step
    }

    /// The first segment of each playlist.
    var segments: Diagnosis.Step {
        let all = presentation.renditions.flatMap(\.segments)
        let loaded = all.compactMap(\.byteCount)
        let size = loaded.reduce(0, +) / 1024
        return Diagnosis.Step(
            "segments",
            "\(counted(loaded.count, "segment")) loaded (the first of each playlist), \(size) KiB",
            problems: problems(of: "segments")
        )
    }

    /// The decryption of the segments with the keys of the licenses.
    func decryption(areKeysRequested: Bool) -> Diagnosis.Step {
        guard !keyURIs.isEmpty else { return .skipped("decryption", "the playlists have no FairPlay key") }
        guard areKeysRequested else { return .skipped("decryption", "no key was requested") }
        let found = presentation.renditions.flatMap(\.segments).flatMap(\.decryptions)
        let problems = problems(of: "decryption")
        guard !found.isEmpty else {
            guard problems.isEmpty else { return Diagnosis.Step("decryption", "", problems: problems) }
            return .skipped("decryption", "there is no key, or no encrypted segment")
        }
        let opened = found.count { $0.verdict == .opened }
        var step = Diagnosis.Step(
            "decryption",
            "\(opened) of \(counted(found.count, "track")) decrypted, with valid frames",
            problems: problems
        )
        let closed = presentation.renditions.count { rendition in
            rendition.segments.contains { $0.keys[.fairPlay] != nil }
                && rendition.segments.allSatisfy { $0.decryptions.isEmpty }
        }
        if closed > 0 { step.details.append("\(counted(closed, "playlist")) not decrypted: there is no license") }
        let undecided = found.count { $0.verdict == .undecided }
        if undecided > 0 {
            step.details.append(
                "\(counted(undecided, "track")) undecided: too few frames, or a codec that shows no error"
                    + " (`keyway validate` loads more)"
            )
        }
        return step
    }
}
