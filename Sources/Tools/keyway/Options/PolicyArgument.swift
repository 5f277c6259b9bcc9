import ArgumentParser
import DRMSignaling

/// A license policy for generated keys on the command line: of all classes, or of one.
///
///     policy = [ class "=" ] name
///     class  = "audio" / "SD" / "HD" / "UHD"
struct PolicyArgument: Hashable, Sendable {
    /// The class; nil for the classes without a policy of their own.
    let trackClass: TrackClass?
    /// The name of the policy on the server.
    let name: String

    /// Parses an argument.
    static func parse(_ text: String) throws -> PolicyArgument {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let trackClass = parts.count == 2 ? TrackClass(parsing: parts[0]) : nil
        guard parts.count == 1 || trackClass != nil else {
            throw ValidationError(
                "“\(parts[0])” is not a track class: give CLASS=NAME, where CLASS is one of "
                    + TrackClass.allCases.map(\.rawValue).joined(separator: ", ") + ", or NAME for all classes."
            )
        }
        guard let name = parts.last, !name.isEmpty else {
            throw ValidationError("The name of the policy is missing: give NAME, or CLASS=NAME.")
        }
        return PolicyArgument(trackClass: trackClass, name: String(name))
    }

    /// Checks that no class has two policies.
    static func validate(_ policies: [PolicyArgument]) throws {
        var classes: Set<TrackClass?> = []
        for policy in policies where !classes.insert(policy.trackClass).inserted {
            let which = policy.trackClass.map { "for \($0.rawValue) " } ?? ""
            throw ValidationError("--policy is given twice \(which): leave out one of the two.")
        }
    }
}
