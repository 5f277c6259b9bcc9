import KeyServerModule
import ToolSupport

/// A reader of policy files.
enum PolicyFile {
    /// Returns the policy in a file.
    static func read(_ path: String, track: TrackKind) throws(CommandFailure) -> LicensePolicy {
        let bytes = try InputFile.read(path)
        do {
            return try LicensePolicy(json: bytes, for: track)
        } catch {
            let kind = FileKind(bytes)
            if case .json = kind {
                throw .input("\(path): \(error)", next: "see docs/policy.md for the fields of a policy")
            }
            let looksLikeJSON = kind == .text && bytes.first { !TextEncodings.isSpace($0) } == UInt8(ascii: "{")
            guard !looksLikeJSON else { throw .input("\(path) is not valid JSON", next: "check commas and quotes") }
            throw .input("\(path) is \(kind.description), not a policy", next: "give a JSON object")
        }
    }
}
