/// Which key a variant has, and which output protection it asks for.
public struct KeyAssignment: Hashable, Sendable {
    /// The variant's name.
    public let variant: String
    /// Its video's key.
    public let keyID: ContentKeyID
    /// Its HDCP-LEVEL; a variant without the attribute asks for ``HDCPRequirement/none``.
    public let hdcp: HDCPRequirement

    /// Makes an assignment.
    public init(variant: String, keyID: ContentKeyID, hdcp: HDCPRequirement?) {
        self.variant = variant
        self.keyID = keyID
        self.hdcp = hdcp ?? .none
    }

    /// Holds that variants with different HDCP-LEVELs have different keys: otherwise the license of the lower opens the
    /// higher (RFC 8216bis, 4.4.6.2). Takes time in proportion to the number of assignments.
    ///
    /// - Throws: `shared-key`, which names both variants.
    public static func check(_ assignments: [KeyAssignment]) throws(SignalingError) {
        var first: [ContentKeyID: KeyAssignment] = [:]
        for assignment in assignments {
            let other = first[assignment.keyID, default: assignment]
            guard other.hdcp == assignment.hdcp else {
                throw SignalingError(
                    .sharedKey,
                    "key \(assignment.keyID)",
                    "the variants “\(other.variant)” with HDCP-LEVEL=\(other.hdcp.rawValue) and “\(assignment.variant)” with "
                        + "HDCP-LEVEL=\(assignment.hdcp.rawValue) share it, so that who may play one can decrypt the other: "
                        + "give each a key of its own, or both the same level"
                )
            }
            first[assignment.keyID] = other
        }
    }

    /// What each key asks for when its variants have to agree: the most that any of them asks for. So a presentation
    /// with one key for all is protected as its best variant needs it.
    public static func strictest(_ assignments: [KeyAssignment]) -> [ContentKeyID: HDCPRequirement] {
        Dictionary(assignments.map { ($0.keyID, $0.hdcp) }, uniquingKeysWith: max)
    }
}
