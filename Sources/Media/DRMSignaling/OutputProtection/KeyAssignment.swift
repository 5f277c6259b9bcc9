/// The key and the output protection of a variant.
public struct KeyAssignment: Hashable, Sendable {
    /// The name of the variant.
    public let variant: String
    /// The key ID of its video.
    public let keyID: ContentKeyID
    /// Its HDCP-LEVEL; ``HDCPRequirement/none`` if the variant does not have the attribute.
    public let hdcp: HDCPRequirement

    /// Creates an assignment.
    public init(variant: String, keyID: ContentKeyID, hdcp: HDCPRequirement?) {
        self.variant = variant
        self.keyID = keyID
        self.hdcp = hdcp ?? .none
    }

    /// Checks that variants with different HDCP-LEVELs have different keys: otherwise the license of the lower level
    /// also decrypts the higher level (RFC 8216bis, 4.4.6.2). The run time is linear in the number of assignments.
    ///
    /// - Throws: `shared-key` with the names of both variants.
    public static func check(_ assignments: [KeyAssignment]) throws(SignalingError) {
        var first: [ContentKeyID: KeyAssignment] = [:]
        for assignment in assignments {
            let other = first[assignment.keyID, default: assignment]
            guard other.hdcp == assignment.hdcp else {
                throw SignalingError(
                    .sharedKey,
                    "key \(assignment.keyID)",
                    "the variants “\(other.variant)” with HDCP-LEVEL=\(other.hdcp.rawValue) and "
                        + "“\(assignment.variant)” with HDCP-LEVEL=\(assignment.hdcp.rawValue) share this key, so a "
                        + "license for one also decrypts the other: use a separate key for each, or the same level for "
                        + "both"
                )
            }
            first[assignment.keyID] = other
        }
    }

    /// Returns the strictest level of the variants of each key. With this level for all of them, a presentation with a
    /// single key is protected as its best variant requires.
    public static func strictest(_ assignments: [KeyAssignment]) -> [ContentKeyID: HDCPRequirement] {
        Dictionary(assignments.map { ($0.keyID, $0.hdcp) }, uniquingKeysWith: max)
    }
}
