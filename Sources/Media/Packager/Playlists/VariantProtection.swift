package import DRMSignaling

/// Holds that variants may have the keys and the output protection that they have. A plan asks before anything is
/// written.
package enum VariantProtection {
    /// A rendition, as far as it matters here.
    package struct Subject: Sendable {
        /// The folder, which is also the variant's name.
        package var name: String
        /// What kind of media it is.
        package var kind: MediaTrack.Kind
        /// The class that decides; nil for subtitles.
        package var trackClass: TrackClass?
        /// Its key; nil when it is clear.
        package var keyID: [UInt8]?

        /// Describes a rendition.
        package init(name: String, kind: MediaTrack.Kind, trackClass: TrackClass?, keyID: [UInt8]?) {
            self.name = name
            self.kind = kind
            self.trackClass = trackClass
            self.keyID = keyID
        }

        /// A rendition that was written.
        init(_ rendition: Rendition) {
            self.init(
                name: rendition.folder,
                kind: rendition.track.kind,
                trackClass: rendition.trackClass,
                keyID: rendition.protection?.keyID
            )
        }
    }

    /// Holds that variants with different HDCP-LEVELs have different keys, and that the rules name variants that there
    /// are.
    ///
    /// - Throws: `SignalingError` with `shared-key`; ``JobFailure``.
    package static func check(_ subjects: [Subject], _ options: PlaylistOptions) throws {
        let videos = subjects.filter { $0.kind == .video }
        let variants = videos.isEmpty ? subjects.filter { $0.kind == .audio } : videos
        let names = variants.map(\.name)
        if let unknown = options.outputProtection.namedVariants.first(where: { !names.contains($0) }) {
            throw JobFailure(
                "hdcp",
                "there is no variant “\(unknown)” to protect; there are \(names.joined(separator: ", ")), and the classes "
                    + TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        guard options.isDRM else { return }
        try KeyAssignment.check(
            variants.compactMap { variant in
                guard let trackClass = variant.trackClass, let keyID = variant.keyID.flatMap({ ContentKeyID($0) })
                else { return nil }
                let protection = options.outputProtection.protection(of: trackClass, variant: variant.name)
                return KeyAssignment(variant: variant.name, keyID: keyID, hdcp: protection.hdcp)
            }
        )
    }
}
