import HLSPlaylist

extension ValidationRule {
    /// Rules about session data, steering manifests and asset lists.
    static let referenceRules: [ValidationRule] = [
        ValidationRule(
            "reference-missing",
            .must,
            "8216bis:4.4.6",
            .playlist,
            "Session data, steering manifests and asset lists that playlists refer to can be loaded.",
            advice: "Publish the resource, or remove its tag."
        ) { presentation, findings in
            for reference in presentation.references {
                guard case .missing(let reason) = reference.outcome else { continue }
                findings.report(reference.place, "The \(reference.kind.rawValue) cannot be loaded: \(reason).")
            }
        },
        ValidationRule(
            "reference-malformed",
            .must,
            "8216bis:4.4.6",
            .playlist,
            "Session data in JSON, steering manifests and asset lists have the form that is defined for them.",
            advice: "Repair the document: players ignore it as a whole."
        ) { presentation, findings in
            for reference in presentation.references {
                guard case .malformed(let reason) = reference.outcome else { continue }
                findings.report(reference.place, "The \(reference.kind.rawValue) cannot be read: \(reason).")
            }
        },
        ValidationRule(
            "steering-pathway-unknown",
            .must,
            "8216bis:7.1",
            .playlist,
            "The pathways of a steering manifest are those of variants or of its clones.",
            advice: "Name the pathways in PATHWAY-PRIORITY as PATHWAY-ID of the variants does."
        ) { presentation, findings in
            let pathways = Set(presentation.playlist?.variants.map { $0.streamInf.attributes.pathwayID ?? "." } ?? [])
            for reference in presentation.references {
                guard case .steeringManifest(let manifest) = reference.outcome else { continue }
                let known = pathways.union(manifest.clones.map(\.id))
                for pathway in manifest.pathwayPriority where !known.contains(pathway) {
                    findings.report(
                        reference.place,
                        "No variant has a pathway of PATHWAY-PRIORITY.",
                        measured: pathway,
                        limit: known.sorted().joined(separator: ", "),
                        // A manifest can serve several presentations.
                        level: known.isDisjoint(with: manifest.pathwayPriority) ? .must : .advice
                    )
                }
            }
        },
        ValidationRule(
            "document-media-type",
            .should,
            "10.4",
            .http,
            "The Content-Type of steering manifests and of asset lists is that of Apple's list.",
            advice: "Configure the media types on the server."
        ) { presentation, findings in
            for reference in presentation.references {
                let expected: String? =
                    switch reference.kind {
                    case .steeringManifest: "application/vnd.apple.steering-list"
                    case .assetList: "application/json"
                    case .sessionData, .chapters: nil
                    }
                guard let expected, let type = reference.http?.mediaType, type != expected else { continue }
                findings.report(
                    reference.place,
                    "The Content-Type is not that of the \(reference.kind.rawValue).",
                    measured: type,
                    limit: expected,
                    level: type == "application/json" ? .advice : .should
                )
            }
        },
    ]
}
