import DRMSignaling
import HLSPlaylist
import MediaFormats
import TextCoding

extension ValidationRule {
    /// Rules about the headers of protection systems (pssh).
    static let systemHeaderRules: [ValidationRule] = [
        .rendition(
            "enc-kid-not-in-pssh",
            .must,
            "8216bis:4.4.4.4",
            .initialization,
            "The headers of protection systems contain the key ID of the samples.",
            advice: "Write the key ID of tenc into the pssh box and into the URI of EXT-X-KEY."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats where format.container == .mp4 {
                guard let protection = format.protection, let keyID = protection.keyID else { continue }
                for (place, header) in segment.systemHeaders(protection) {
                    guard let keyIDs = header.listedKeyIDs, !keyIDs.isEmpty, !keyIDs.contains(keyID.bytes) else {
                        continue
                    }
                    findings.report(
                        .init(rendition, segment),
                        "The \(header.systemName) header \(place) lists other key IDs than that of the samples."
                    )
                }
            }
        },
        .rendition(
            "enc-playready-algorithm",
            .must,
            "8216bis:4.4.4.4",
            .initialization,
            "The PlayReady header of content with cbcs has the algorithm AESCBC.",
            advice: "Write a PlayReady header of version 4.3 with ALGID AESCBC."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats {
                guard let protection = format.protection, protection.scheme == "cbcs" else { continue }
                for (place, header) in segment.systemHeaders(protection) {
                    guard let keys = header.playReadyKeys, !keys.isEmpty,
                        keys.allSatisfy({ $0.algorithm != .chaining })
                    else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "The PlayReady header \(place) does not have the algorithm AESCBC."
                    )
                }
            }
        },
    ]
}

extension MeasuredSegment {
    /// The headers of protection systems in the init segment and in EXT-X-KEY, with a description of their place. What
    /// cannot be read is left out.
    fileprivate func systemHeaders(
        _ protection: TrackFormat.Protection
    ) -> [(place: String, header: ProtectionSystemSpecificHeader)] {
        var headers: [(place: String, header: ProtectionSystemSpecificHeader)] = []
        for box in protection.systems {
            guard let systemID = SystemID(box.systemID) else { continue }
            headers.append(
                (
                    "in the init segment",
                    ProtectionSystemSpecificHeader(
                        systemID: systemID,
                        keyIDs: box.keyIDs?.compactMap { ContentKeyID($0) },
                        data: box.data
                    )
                )
            )
        }
        for key in keys.keys {
            guard let uri = key.uri, uri.hasPrefix("data:"), let comma = uri.firstIndex(of: ","),
                let bytes = Base64.decode(uri[uri.index(after: comma)...])
            else { continue }
            let place = "in EXT-X-KEY"
            if key.keyFormat == .playReady {
                headers.append((place, ProtectionSystemSpecificHeader(systemID: .playReady, data: bytes)))
            } else {
                headers += ((try? ProtectionSystemSpecificHeader.all(in: bytes)) ?? []).map { (place, $0) }
            }
        }
        return headers
    }
}

extension ProtectionSystemSpecificHeader {
    fileprivate var systemName: String {
        switch systemID {
        case .widevine: "Widevine"
        case .playReady: "PlayReady"
        case .common: "common"
        case .fairPlay: "FairPlay"
        default: "DRM"
        }
    }

    /// The keys of a PlayReady header; nil for other systems, and if it cannot be read.
    fileprivate var playReadyKeys: [PlayReadyHeader.Key]? {
        guard systemID == .playReady else { return nil }
        return try? PlayReadyObject(data).header()?.keys
    }

    /// The key IDs that the header lists; nil if it lists none, or cannot be read.
    fileprivate var listedKeyIDs: [[UInt8]]? {
        if let keyIDs { return keyIDs.map(\.bytes) }
        if systemID == .widevine { return (try? WidevineHeader(data))?.keyIDs.map(\.bytes) }
        return playReadyKeys?.map(\.keyID.bytes)
    }
}
