import ArgumentParser
import KeyStore
import ToolSupport

/// The options that select entries of the audit log by exact values.
struct AuditFilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Print only entries of this account. (default: all)", valueName: "account"))
    var account: AccountArgument?
    @Option(
        help: ArgumentHelp(
            "Print only entries of this asset ID, as text or 0x and hexadecimal digits. (default: all)",
            valueName: "asset-id"
        )
    )
    var asset: AssetIDArgument?
    @Option(help: ArgumentHelp("Print only entries of the assets of this title. (default: all)", valueName: "name"))
    var title: String?
    @Option(
        help: ArgumentHelp(
            "Print only entries of this device, 32 hexadecimal digits. (default: all)",
            valueName: "hex"
        )
    )
    var device: DeviceArgument?
    @Option(help: ArgumentHelp("Print only entries with this policy. (default: all)", valueName: "policy"))
    var policy: String?
    @Option(
        help: ArgumentHelp(
            """
            Print only entries with this outcome: issued, issued-persistable, retried, sync-report, the reason of a \
            refusal, or admin- and the name of a change, such as admin-policy-put. (default: all)
            """,
            valueName: "outcome"
        )
    )
    var outcome: String?
    @Option(
        help: ArgumentHelp(
            "Print only refusals and failures with this reason, the outcome of their entries, such as "
                + "client-not-protected. (default: all)",
            valueName: "reason"
        )
    )
    var reason: String?
    @Option(
        help: ArgumentHelp(
            "Print only entries of this route, such as /fps/license, or 'command: policies add' for a command. "
                + "(default: all)",
            valueName: "route"
        )
    )
    var route: String?
    @Option(help: ArgumentHelp("Print only entries with this client address. (default: all)", valueName: "address"))
    var address: String?
    @Option(help: ArgumentHelp("Print only the entries of this request ID. (default: all)", valueName: "request-id"))
    var request: String?
    @Option(
        help: ArgumentHelp(
            "Print only entries from this time on, in Unix seconds or as in RFC 3339. (default: all)",
            valueName: "time"
        )
    )
    var from: TimeArgument?
    @Option(
        help: ArgumentHelp(
            "Print only entries before this time, in Unix seconds or as in RFC 3339. (default: all)",
            valueName: "time"
        )
    )
    var until: TimeArgument?

    func validate() throws {
        // Labels of the metrics, which have the reason as another label.
        guard let outcome, ["refused", "failed"].contains(outcome) else { return }
        throw ValidationError(
            "--outcome: the outcome of an entry about a request that was \(outcome) is its reason: give --reason NAME."
        )
    }

    /// The filter.
    var filter: AuditFilter {
        var filter = AuditFilter()
        filter.account = account?.name
        filter.assetID = asset?.bytes
        filter.title = title
        filter.device = device?.device
        filter.policyName = policy
        filter.outcome = outcome
        filter.reason = reason
        filter.route = route
        filter.remoteAddress = address
        filter.requestID = request
        filter.from = from.map(Self.milliseconds)
        filter.until = until.map(Self.milliseconds)
        return filter
    }

    /// Returns a time in Unix milliseconds, within 30,000 years so that it cannot overflow.
    private static func milliseconds(_ time: TimeArgument) -> Int64 {
        min(max(time.seconds, -1_000_000_000_000), 1_000_000_000_000) * 1_000
    }
}
