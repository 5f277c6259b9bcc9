package import DRMSignaling

/// Checks the keys and the output protection of variants. A plan performs these checks before anything is written.
package enum VariantProtection {
    /// The properties of a rendition that are checked.
    package struct Subject: Sendable {
        /// The folder, which is also the variant's name.
        package var name: String
        /// The kind of media.
        package var kind: MediaTrack.Kind
        /// The track class; nil for subtitles.
        package var trackClass: TrackClass?
        /// The key ID; nil if the rendition is clear.
        package var keyID: [UInt8]?

        /// Creates a subject.
        package init(name: String, kind: MediaTrack.Kind, trackClass: TrackClass?, keyID: [UInt8]?) {
            self.name = name
            self.kind = kind
            self.trackClass = trackClass
            self.keyID = keyID
        }

        /// Creates a subject from a written rendition.
        init(_ rendition: Rendition) {
            self.init(
                name: rendition.folder,
                kind: rendition.track.kind,
                trackClass: rendition.trackClass,
                keyID: rendition.protection?.keyID
            )
        }
    }

    /// Checks that variants with different HDCP-LEVELs have different keys, and that the rules reference existing
    /// variants.
    ///
    /// - Throws: `SignalingError` with `shared-key`; ``JobFailure``.
    package static func check(_ subjects: [Subject], _ options: PlaylistOptions) throws {
        let videos = subjects.filter { $0.kind == .video }
        let variants = videos.isEmpty ? subjects.filter { $0.kind == .audio } : videos
        let names = variants.map(\.name)
        if let unknown = options.outputProtection.namedVariants.first(where: { !names.contains($0) }) {
            throw JobFailure(
                "hdcp",
                "there is no variant “\(unknown)”: use one of the variants \(names.joined(separator: ", ")), or a "
                    + "class: "
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
