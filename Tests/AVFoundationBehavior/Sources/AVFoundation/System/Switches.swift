package import Foundation

/// The behavior where Apple's documents are silent: reference, section 2.13. Each scenario runs with both values of the
/// switches that it touches.
package struct Switches: Sendable {
    /// The app runs in the Simulator: FairPlay sessions raise, clear key sessions receive no requests, downloads end
    /// with -1 (rules 2 and 3).
    package var isSimulator = false
    /// `respondBy…` throws without a storage directory (rule 31).
    package var persistNeedsStorage = false
    /// The error of `respondBy…` if the request cannot have a persistable key (rule 29). The number is invented.
    package var persistRefusal = NSError(domain: "AVFoundationErrorDomain", code: -11862)
    /// A request for a key that is already requested (rule 40).
    package enum PendingDuplicate: Sendable { case silent, secondRequest }
    package var pendingDuplicate = PendingDuplicate.silent
    /// A request for a key whose request failed or was cancelled (rule 41).
    package enum RetryAfterFailure: Sendable { case newRequest, silent }
    package var retryAfterFailure = RetryAfterFailure.newRequest
    /// The object of a renewing request (rule 47).
    package enum RenewObject: Sendable { case new, earlier }
    package var renewObject = RenewObject.new
    /// `respondBy…` on a renewing request (rule 53).
    package enum RenewPersist: Sendable { case throwsError, works }
    package var renewPersist = RenewPersist.throwsError
    /// The place of didUpdatePersistableContentKey (rule 58).
    package enum UpdateOrder: Sendable { case afterSuccess, beforeSuccess }
    package var updateOrder = UpdateOrder.afterSuccess
    /// The report of an expired persistable key (rule 61).
    package enum ExpiredKeySign: Sendable { case retryThenFailure, failureOnly }
    package var expiredKeySign = ExpiredKeySign.retryThenFailure
    /// The end of a request whose SPC could not be created (rule 14).
    package enum SPCFailure: Sendable { case failsByApp, failsByItself }
    package var spcFailure = SPCFailure.failsByApp
    /// The time at which the status changes after a response (rule 17).
    package enum StatusTiming: Sendable { case duringCall, later }
    package var statusTiming = StatusTiming.duringCall
    /// Whether the location of a download is repeated after a relaunch (rule 105).
    package enum RelaunchLocation: Sendable { case notRepeated, repeated }
    package var relaunchLocation = RelaunchLocation.notRepeated
    /// The type of the identifier of a request that HLS caused (rule 33).
    package enum IdentifierType: Sendable { case string, url }
    package var identifierType = IdentifierType.string
    /// Whether the system renews a lease without the app (rule 49).
    package enum AutoRenewal: Sendable { case never, beforeEnd }
    package var autoRenewal = AutoRenewal.never

    package init() {}
}
