import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport
import VirtualDevice

extension ContentSteps {
    /// Checks which variant each device class chooses, without a limit of the bandwidth, and why it rejects others.
    func variants(_ profiles: [DeviceProfile]) -> Diagnosis.Step {
        guard let playlist = report.presentation.playlist else {
            return .skipped("variants", "the playlist is a Media Playlist: there is nothing to choose")
        }
        var step = Diagnosis.Step("variants")
        var refused: [String] = []
        for profile in profiles {
            let selector = VariantSelector(PlayerCapabilities(of: profile), keyFormats: keyFormats)
            let selection = selector.select(from: playlist)
            let unplayable = selection.rejected.filter { !$0.isPlayable }
            let playable = playlist.variants.count - unplayable.count
            if let variant = selection.variant {
                let rest = unplayable.isEmpty ? "" : "; \(unplayable.count) not playable: \(Self.reasons(unplayable))"
                step.details.append("\(Self.name(profile)): \(Self.text(variant))\(rest)")
            } else {
                refused.append(profile.name)
                step.details.append("\(Self.name(profile)): nothing; \(Self.reasons(unplayable))")
            }
            if profile.name == profiles.first?.name {
                step.summary = "\(playable) of \(counted(playlist.variants.count, "variant")) for \(Self.name(profile))"
            }
        }
        guard !refused.isEmpty else { return step }
        let text = "No variant is playable on: \(refused.joined(separator: ", "))."
        let remedy =
            "Add a variant that it can play (codecs, HDCP-LEVEL, ALLOWED-CPC): docs/choosing-a-variant.md, and "
            + "`keyway play --profile \(refused[0])` shows each decision."
        step.problems.append(
            refused.count == profiles.count
                ? .failure("variants-unplayable", text, remedy: remedy)
                : .warning("variants-unplayable", text, remedy: remedy)
        )
        return step
    }

    /// The key formats of the variants, by their URIs as in the playlist.
    private var keyFormats: [String: Set<KeyFormat>] {
        var formats: [String: Set<KeyFormat>] = [:]
        for rendition in report.presentation.renditions {
            let own = Set(rendition.segments.flatMap { $0.keys.keys.map(\.keyFormat) })
            for (variant, _) in rendition.roles.variants { formats[variant.uri, default: []].formUnion(own) }
        }
        return formats
    }

    private static func name(_ profile: DeviceProfile) -> String {
        // Safari plays with the Mac's capabilities.
        profile.name == DeviceProfile.mac.name ? "mac (Safari)" : profile.name
    }

    private static func text(_ variant: Variant) -> String {
        let size = variant.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        return PlaylistText.printable(
            "\(size)\(variant.codecs.joined(separator: ",")) at \(variant.bandwidth / 1000) kbit/s"
        )
    }

    /// Returns the reasons of all rejections, each once.
    private static func reasons(_ rejected: [Selection.RejectedVariant]) -> String {
        var known: Set<String> = []
        let reasons = rejected.flatMap { $0.reasons.filter { !$0.isPlayable } }.map { "\($0)" }
        return reasons.filter { known.insert($0).inserted }.prefix(3).map { PlaylistText.message($0) }
            .joined(separator: "; ")
    }
}
