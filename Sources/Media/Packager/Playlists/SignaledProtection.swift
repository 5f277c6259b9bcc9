package import DRMSignaling

/// The output protection that playlists signal for the variants of a class, for the licenses of their common key.
extension PackagingPlan {
    /// Returns the output protection that a license of a class's key must require; nil if the playlists signal none.
    ///
    /// HDCP-LEVEL is that of the strictest variant. A device is allowed if ALLOWED-CPC of one variant allows it,
    /// because the license cannot distinguish variants that share a key.
    package func signaledProtection(of trackClass: TrackClass) -> OutputProtection? {
        let options = PlaylistOptions(job)
        guard options.isDRM else { return nil }
        let variants = renditions.filter { $0.isProtected && $0.trackClass == trackClass }
        let signaled = variants.map { options.outputProtection.protection(of: trackClass, variant: $0.folder) }
        guard var result = signaled.first else { return options.outputProtection.protection(of: trackClass) }
        for other in signaled.dropFirst() {
            result.hdcp = [result.hdcp, other.hdcp].compactMap { $0 }.max()
            result.labels.merge(other.labels) { first, second in
                first.isEmpty || second.isEmpty ? [] : first + second.filter { !first.contains($0) }
            }
        }
        return result
    }
}

extension PackagingJob {
    /// Returns the output protection that a license of a class's key must require, if the renditions are not known yet;
    /// nil if the playlists signal none. Exceptions for single variants are not included.
    package func signaledProtection(of trackClass: TrackClass) -> OutputProtection? {
        PlaylistOptions(self).isDRM ? outputProtection.protection(of: trackClass) : nil
    }
}
