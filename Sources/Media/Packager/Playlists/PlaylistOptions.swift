package import DRMSignaling
import HLSPlaylist
import SampleEncryption

/// The options of playlists and manifests: file names, and how keys are signaled.
package struct PlaylistOptions: Sendable {
    /// The names of the output files.
    package var names = PackagingJob.FileNames()
    /// The DRM systems for which the keys are signaled.
    package var systems: [ProtectionSystem] = []
    /// The template of key URIs.
    package var keyURI = KeyURITemplate.fairPlay
    /// The FPS versions that FairPlay keys signal.
    package var keyFormatVersions = FairPlayVersions.first
    /// The URLs of license servers and of the certificate, for DASH manifests.
    package var licenseURLs = LicenseURLs()
    /// The value of `{title}` in key URIs.
    package var title: String?
    /// The rules for HDCP-LEVEL and ALLOWED-CPC.
    package var outputProtection = OutputProtectionRules.standard

    /// Creates options of a clear presentation.
    package init() {}

    /// Creates the options of a job.
    package init(_ job: PackagingJob) {
        names = job.names
        systems = job.systems
        keyURI = job.keyURI ?? .fairPlay
        keyFormatVersions = job.keyFormatVersions ?? .first
        licenseURLs = job.licenseURLs
        title = job.title
        outputProtection = job.outputProtection
    }

    /// Returns the EXT-X-KEY tags of a key.
    ///
    /// - Parameter start: The start of the key period in Unix seconds.
    /// - Throws: `SignalingError`.
    func keys(_ protection: TrackProtection, _ trackClass: TrackClass, start: Int64?) throws -> [KeyTag] {
        guard let keyID = ContentKeyID(protection.keyID) else { return [] }
        let signals = try HLSKeySignal.signals(
            to: systems,
            keyID: keyID,
            method: protection.scheme.method,
            template: keyURI,
            track: trackClass.uriName,
            title: title,
            period: start,
            // With cenc, each sample has an IV in the segment.
            iv: protection.scheme == .cenc ? nil : protection.iv?.bytes
        )
        return signals.map { signal in
            if let tag = protection.systemData.tag(for: keyID, signal.system) { return tag }
            var tag = KeyTag(signal)
            if signal.system == .fairPlay { tag.keyFormatVersions = keyFormatVersions.description }
            return tag
        }
    }

    /// True if output protection is signaled. If the key is served in the clear, output protection is ineffective, so
    /// the standard rules are not applied; other rules are applied, because they were requested explicitly.
    var isDRM: Bool {
        systems.contains { $0 != .identity } || (!systems.isEmpty && outputProtection != .standard)
    }

    /// Returns the output protection required for a variant; nil if its video is clear, or no output protection is
    /// signaled.
    func outputProtection(of rendition: Rendition) -> OutputProtection? {
        guard rendition.protection != nil, isDRM, let trackClass = rendition.trackClass else { return nil }
        return outputProtection.protection(of: trackClass, variant: rendition.folder)
    }
}
