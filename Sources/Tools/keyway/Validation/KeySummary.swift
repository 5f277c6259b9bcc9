import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import ToolSupport

/// A key that was requested during a validation, as reports show it. It contains neither the key nor a vector.
struct KeySummary {
    /// The URI without user information and query.
    let uri: String
    /// The key IDs that the media declare for the key, in hexadecimal.
    let keyIDs: [String]
    /// The device classes that got the key; empty if it came from a file or from the web.
    let deviceClasses: [String]
    /// The result: the most serious verdict of all tracks, or that there was no key.
    let verdict: String
    /// The longest time of a request in seconds, with three decimal digits; nil if nothing was sent.
    let seconds: Double?

    /// Returns the keys of a presentation, in the order of their first use.
    static func all(_ presentation: MeasuredPresentation) -> [KeySummary] {
        var verdicts: [MeasuredKey.ID: Set<MeasuredDecryption.Verdict>] = [:]
        for rendition in presentation.renditions {
            for found in rendition.segments.lazy.flatMap(\.decryptions) {
                verdicts[found.key, default: []].insert(found.verdict)
            }
        }
        return presentation.keys.map { KeySummary($0, verdicts[$0.id] ?? []) }
    }

    private init(_ key: MeasuredKey, _ verdicts: Set<MeasuredDecryption.Verdict>) {
        uri = PlaylistText.printable(key.id.printedURI)
        keyIDs = key.keyIDs.map { Hexadecimal.encode($0.bytes) }
        let granted = key.grants.filter { $0.license.key != nil }
        deviceClasses = granted.compactMap(\.deviceClass)
        let order: [MeasuredDecryption.Verdict] = [.wrongKey, .wrongIV, .notEncrypted, .opened, .undecided]
        verdict =
            granted.isEmpty ? "no key" : order.first(where: verdicts.contains)?.rawValue ?? "not tried"
        seconds = key.grants.compactMap(\.license.duration).max().map { duration in
            (duration / .milliseconds(1)).rounded() / 1000
        }
    }

    /// The columns of ``cells``.
    static let columns = ["Key", "Key IDs", "Devices", "Verdict", "Time"]

    /// The values of a row in a table.
    var cells: [String] {
        let list = { (texts: [String]) in texts.isEmpty ? "-" : texts.joined(separator: ", ") }
        return [uri, list(keyIDs), list(deviceClasses), verdict, seconds.map { ValidationRule.secondsText($0) } ?? "-"]
    }

    /// The members of the JSON report.
    var json: JSONValue {
        .object([
            "uri": .string(uri), "keyIDs": .array(keyIDs.map { .string($0) }),
            "deviceClasses": .array(deviceClasses.map { .string($0) }), "verdict": .string(verdict),
            "seconds": seconds.map { .number($0) },
        ])
    }
}
