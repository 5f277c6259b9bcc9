import DRMSignaling
import TextCoding

/// A comparison of a license policy's `hdcp` with the HDCP-LEVEL that the playlists declare.
enum PolicyHDCP {
    /// Returns a warning if the policy of a class's key requires another HDCP type than the playlists declare; nil if both
    /// are the same, or if the policy is not a valid document.
    ///
    /// - Parameters:
    ///   - name: The name of the policy.
    ///   - document: The policy.
    ///   - level: The strictest HDCP-LEVEL of the class's variants.
    static func warning(
        policy name: String,
        _ document: [UInt8],
        _ trackClass: TrackClass,
        declared level: HDCPRequirement
    ) -> String? {
        guard case .object(let fields)? = try? JSONValue(parsing: document) else { return nil }
        let field = fields["hdcp"]
        let required: HDCPRequirement
        let requirement: String
        if let field {
            guard let type = field.text.flatMap({ HDCPRequirement(parsing: $0) }) else { return nil }
            (required, requirement) = (type, "has hdcp \(field.text ?? "")")
        } else {
            (required, requirement) = (.type0, "has no hdcp, so that devices require Type 0")
        }
        guard required != level else { return nil }
        let effect =
            required > level
            ? "displays that do not meet the policy select these variants and show no picture"
            : "the licenses do not require what the playlists declare"
        let type = level.rawValue.lowercased().filter { $0 != "-" }
        return "the policy \(name) \(requirement), but the playlists declare HDCP-LEVEL=\(level.rawValue) for "
            + "\(trackClass.rawValue): \(effect); package with --hdcp \(trackClass.rawValue)=\(required.rawValue), or set "
            + "hdcp to \(type) in the policy"
    }
}
