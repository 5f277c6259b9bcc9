package import FPSMessages
package import Hummingbird
import TextCoding

/// The report in a Sync SPC, for the app's server: the remaining time of a persistent key, or the invalidated keys.
///
///     {"sync": {"version": 1, "assetId": "movie", "contentId": "<hex>", "remaining": 3600}}
///     {"sync": {"version": 2, "assetId": "movie", "titleId": "<hex>", "challenge": "<16 hex digits>",
///       "flags": ["report", "success"], "remaining": null, "invalidatedStreamIds": ["<hex>", …]}}
///
/// `remaining` is in seconds: 0 if the key has expired and null if there is no end. For an asset ID that is not UTF-8,
/// `assetIdHex` replaces `assetId`.
package struct SyncReport: Sendable {
    private let sync: Sync
    private let assetID: [UInt8]

    /// Creates a report.
    package init(_ sync: Sync, assetID: [UInt8]) {
        self.sync = sync
        self.assetID = assetID
    }

    /// Returns the response, which is JSON independent of the format of the request.
    package func response() -> Response {
        JSONValue.fields([("sync", .fields(fields))]).response()
    }

    /// The summary for the audit log, in one line.
    var summary: String {
        switch sync {
        case .version1(_, let expiry, _): "version 1, remaining \(expiry)"
        case .version2(let report):
            "version 2, \(report.flags), remaining \(report.expiry), "
                + "\(counted(report.invalidatedStreamIDs.count, "stream")) invalidated"
        }
    }

    private var fields: [(name: String, value: JSONValue?)] {
        let text = String(validating: assetID, as: UTF8.self)
        let asset: [(name: String, value: JSONValue?)] = [
            ("assetId", text.map { .string($0) }),
            ("assetIdHex", text == nil ? .string(Hexadecimal.encode(assetID)) : nil),
        ]
        switch sync {
        case .version1(let contentID, let expiry, _):
            return [("version", .integer(1))] + asset + [
                ("contentId", .string(Hexadecimal.encode(contentID))), ("remaining", remaining(expiry)),
            ]
        case .version2(let report):
            let streamIDs = report.invalidatedStreamIDs.map { JSONValue.string(Hexadecimal.encode($0)) }
            return [("version", .integer(2))] + asset + [
                ("titleId", .string(Hexadecimal.encode(report.titleID))),
                (
                    "challenge",
                    .string(Hexadecimal.encode(report.serverChallenge))
                ),
                ("flags", .array(names(report.flags).map { .string($0) })),
                ("remaining", remaining(report.expiry)),
                ("invalidatedStreamIds", .array(streamIDs)),
            ]
        }
    }

    private func remaining(_ expiry: Sync.Expiry) -> JSONValue {
        expiry == .never ? .null : .integer(Int(expiry.rawValue))
    }

    private func names(_ flags: Sync.Flags) -> [String] {
        let all: [(Sync.Flags, String)] = [
            (.report, "report"), (.secureInvalidation, "secureInvalidation"),
            (.secureInvalidationAll, "secureInvalidationAll"), (.success, "success"),
            (.objectNotFound, "objectNotFound"), (.objectExpired, "objectExpired"),
        ]
        return all.filter { flags.contains($0.0) }.map(\.1)
    }
}
