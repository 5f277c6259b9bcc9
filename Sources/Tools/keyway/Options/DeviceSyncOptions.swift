import ArgumentParser
import ToolSupport
import VirtualDevice

/// The options for the Sync block of an SPC. Every form but `empty` makes the SPC a Sync SPC, which requests no key.
struct DeviceSyncOptions: ParsableArguments {
    @Option(
        name: .customLong("sync"),
        help: .init(
            "The Sync block: empty (version 0, as in ordinary SPCs), report-v1, report, invalidation, or "
                + "invalidation-all. Every form except empty makes the SPC a Sync SPC, which gets no key. (default: empty)",
            valueName: "form"
        )
    )
    var form: SyncFormArgument?

    @Option(name: .customLong("sync-result"), help: .init("The result that a Sync SPC reports.", valueName: "result"))
    var result = SyncResultArgument.success

    @Option(
        name: .customLong("sync-id"),
        help: .init(
            "The content ID (report-v1) or title ID of a Sync SPC, 16 bytes. (default: zeros)",
            valueName: "hex"
        )
    )
    var id: HexArgument?

    @Option(
        name: .customLong("sync-challenge"),
        help: .init("The server's challenge in a Sync SPC, 8 bytes. (default: zeros)", valueName: "hex")
    )
    var challenge: HexArgument?

    @Option(
        name: .customLong("sync-remaining"),
        help: .init(
            "The remaining validity in a Sync SPC, in whole seconds. (default: no expiry)",
            valueName: "duration"
        )
    )
    var remaining: DurationArgument?

    @Option(
        name: .customLong("sync-stream-id"),
        help: .init(
            "The stream ID of an invalidated key in a Sync SPC, 16 bytes; can be repeated. (default: none)",
            valueName: "hex"
        )
    )
    var streamIDs: [HexArgument] = []

    func validate() throws {
        let isSync = form != nil && form != .empty
        if !isSync, id != nil || challenge != nil || remaining != nil || !streamIDs.isEmpty || result != .success {
            throw ValidationError("--sync-... requires --sync with the form of a Sync SPC, such as --sync report.")
        }
        if form == .reportVersion1, challenge != nil || !streamIDs.isEmpty || result != .success {
            throw ValidationError(
                "--sync report-v1 has only --sync-id and --sync-remaining; version 2 (--sync report) has the others."
            )
        }
        if let remaining, !remaining.hasWholeSeconds || !(0..<Int64(UInt32.max)).contains(remaining.wholeSeconds) {
            throw ValidationError("--sync-remaining: expected whole seconds, less than 4294967295s")
        }
    }

    /// Returns the content of the Sync block; nil for that of the profile.
    func report() throws(CommandFailure) -> DeviceSyncReport? {
        guard let form else { return nil }
        let id = try id?.bytes(16, option: "--sync-id") ?? [UInt8](repeating: 0, count: 16)
        let remaining = remaining.map { UInt32(clamping: $0.wholeSeconds) } ?? .max
        let operation: DeviceSyncReport.Flags
        switch form {
        case .empty: return .empty
        case .reportVersion1: return .version1(contentID: id, remaining: remaining)
        case .report: operation = .report
        case .invalidation: operation = .secureInvalidation
        case .invalidationAll: operation = .secureInvalidationAll
        }
        let challenge = try challenge?.bytes(8, option: "--sync-challenge") ?? []
        var report = DeviceSyncReport.Version2(
            challenge: challenge.reduce(0) { $0 << 8 | UInt64($1) },
            flags: operation.union(result.flags)
        )
        report.titleID = id
        report.remaining = remaining
        for streamID in streamIDs {
            report.invalidatedStreamIDs.append(try streamID.bytes(16, option: "--sync-stream-id"))
        }
        return .version2(report)
    }
}

/// A form of the Sync block on the command line.
enum SyncFormArgument: String, ChoiceArgument {
    case empty
    case reportVersion1 = "report-v1"
    case report
    case invalidation
    case invalidationAll = "invalidation-all"
}

/// The result that a Sync SPC reports, on the command line (Table 6-4).
enum SyncResultArgument: String, ChoiceArgument {
    case success
    case expired
    case notFound = "not-found"

    var flags: DeviceSyncReport.Flags {
        switch self {
        case .success: .success
        case .expired: [.success, .objectExpired]
        case .notFound: .objectNotFound
        }
    }
}
