import KeyServerModule

/// Reads policies.
enum PolicyFile {
    /// The policy in a file.
    static func read(_ path: String, track: TrackKind) throws(CommandFailure) -> LicensePolicy {
        let bytes = try InputFile.read(path)
        do {
            return try LicensePolicy(json: bytes, for: track)
        } catch {
            let kind = FileKind(bytes)
            if case .json = kind { throw .input("\(path): \(error)", next: "docs/policy.md has the whole document") }
            let looksLikeJSON = kind == .text && bytes.first { !TextEncodings.isSpace($0) } == UInt8(ascii: "{")
            guard !looksLikeJSON else { throw .input("\(path) is not valid JSON", next: "look for commas and quotes") }
            throw .input("\(path) is \(kind.words), not a policy", next: "a policy is a JSON object")
        }
    }
}
