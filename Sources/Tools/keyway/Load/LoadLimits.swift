import Foundation
import TextCoding
import ToolSupport

/// The licenses that a server with the default rate limits issues during a run.
///
/// An account can take a burst of licenses at once, and then as many as its rate allows; so can an address, except for a
/// loopback address, which has no limit (`limits.rates` in docs/reference/settings.md).
struct LoadLimits {
    /// A rate limit of the server.
    private struct Limit {
        let burst: Double
        let perMinute: Double

        /// Returns the number of licenses in some seconds.
        func licenses(in seconds: Double) -> Double { burst + perMinute * seconds / 60 }
    }

    private static let account = Limit(burst: 60, perMinute: 120)
    private static let address = Limit(burst: 600, perMinute: 1_200)

    /// The number of accounts.
    let accounts: Int
    /// True if the server limits this machine's address.
    let isRemote: Bool
    /// The duration of the run, in seconds.
    let seconds: Double
    /// The number of licenses that the run requests; nil for as many as the server issues.
    let licenses: Double?

    /// The maximum number of licenses that the server issues.
    var maximum: Int {
        let forAccounts = Double(accounts) * Self.account.licenses(in: seconds)
        return Int(isRemote ? min(forAccounts, Self.address.licenses(in: seconds)) : forAccounts)
    }

    /// The limits and their effect on the run, in sentences.
    var sentence: String {
        let limits =
            "an account 60 licenses at once and then 120 per minute" + (isRemote ? ", an address ten times that" : "")
        let run = seconds > 0 ? " in \(shortNumber(seconds.rounded(.up))) seconds" : ""
        let sum =
            "with its default limits the server issues \(limits): at most \(counted(maximum, "license")) to "
            + counted(accounts, "account") + run
        if let licenses, licenses <= Double(maximum) * 0.7 {
            return "\(sum), more than the \(counted(Int(licenses), "request")) of this run."
        }
        return "\(sum). It refuses further requests (429, rate-limited): give more --accounts, or raise limits.rates "
            + "of the server's configuration."
    }
}
