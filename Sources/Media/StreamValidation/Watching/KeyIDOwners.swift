import HLSPlaylist
import MediaFormats

/// The key IDs of the init segments that were used with each key, to find a Partial Segment with the init segment of another key
/// period before its segment is complete.
struct KeyIDOwners {
    /// The URI of the first key with which each key ID was used.
    private var uris: [KeyID: String] = [:]

    /// The number of key IDs that are remembered.
    private static let capacity = 1024

    init() {}

    /// Takes the formats of an init segment, and the keys that apply to a segment or a Partial Segment with it.
    mutating func take(
        _ formats: [TrackFormat],
        _ keys: KeyContext,
        _ place: ValidationFinding.Place
    ) -> ValidationFinding? {
        guard let uri = keys[.fairPlay]?.uri ?? keys.keys.first?.uri else { return nil }
        for keyID in formats.compactMap({ $0.protection?.keyID }) where keyID.bytes.contains(where: { $0 != 0 }) {
            if let known = uris[keyID], known != uri {
                return ValidationFinding(
                    rule: "enc-rotation",
                    level: .must,
                    place: place,
                    message:
                        "The init segment of the Partial Segment has the key ID of another key period than EXT-X-KEY."
                )
            }
            if uris.count >= Self.capacity { uris = [:] }
            uris[keyID] = uri
        }
        return nil
    }
}

extension ValidationFinding.Place {
    /// Creates a place for a Partial Segment.
    init(_ playlist: String, _ part: SegmentTracker.Part) {
        self.init(playlist)
        (sequence, segment) = (part.sequence, part.tag.uri)
    }
}
