package import DRMSignaling
package import HLSPlaylist

/// A source of the keys of key periods: a file, a development server, or a SPEKE key server.
///
/// The packager requests one period at a time, in order and ahead of time: as soon as a period starts, it requests the
/// next one. Requirements for implementations:
///
/// - **Deterministic.** Numbers count from 0. Repeated requests for a number return the same keys. A run that continues
///   another one requests a number above all that were used, which may have been requested before.
/// - **Unique.** No two periods share a key or a key ID, in any class. The packager rejects a period that reuses a key
///   of the previous one.
/// - **Complete.** There is a key for each requested class, with an IV if FairPlay is one of the systems.
/// - **Available.** When the call returns, players can obtain the keys, because playlists reference them next.
/// - **Retries are the packager's.** An implementation throws errors without retrying: the packager retries until the
///   job's timeout, then cancels the task. An error that a retry cannot correct is a ``KeyPeriodFailure``; it stops the
///   run at the end of the previous period.
/// - **Confidential.** Errors contain no keys.
package protocol ContentKeyPeriods: Sendable {
    /// Returns the keys of a period.
    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod
}

/// A request for the keys of a period.
package struct KeyPeriodRequest: Hashable, Sendable {
    /// The number of the period, from 0.
    package var number: Int
    /// The track classes to encrypt; each may have a separate key.
    package var trackClasses: [TrackClass]
    /// The expected start; nil if the presentation has no dates, as with VOD.
    package var start: PlaylistDate?
    /// The expected duration in seconds.
    package var duration: Double

    /// Creates a request.
    package init(number: Int, trackClasses: [TrackClass], start: PlaylistDate? = nil, duration: Double) {
        self.number = number
        self.trackClasses = trackClasses
        self.start = start
        self.duration = duration
    }
}

/// The keys of a period.
package struct ContentKeyPeriod: Sendable {
    /// The number of the period, from 0.
    package var number: Int
    /// The keys.
    package var keys: ContentKeys
    /// The start in Unix seconds, which is the value of `{period}` in key URIs; nil if there is no date.
    package var start: Int64?

    /// Creates a period.
    package init(number: Int, keys: ContentKeys, start: Int64? = nil) {
        self.number = number
        self.keys = keys
        self.start = start
    }
}

/// An error that a retry cannot correct: the period has no keys.
package struct KeyPeriodFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the period, from 0.
    package let number: Int
    /// The reason and how to correct it. Never contains a key.
    package let reason: String

    /// Creates a failure.
    package init(_ number: Int, _ reason: String) {
        self.number = number
        self.reason = reason
    }

    /// The period and the reason.
    package var description: String { "key period \(number): \(reason)" }
}
