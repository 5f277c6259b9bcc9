package import DRMSignaling
package import HLSPlaylist

/// Where the keys of key periods come from: a file, a development server, a key server that speaks SPEKE.
///
/// The packager asks for one period at a time, in order, and ahead of the time: as soon as a period begins, for the one
/// behind it. What an implementation has to hold:
///
/// - **One number, one answer.** Numbers count from 0. Asked twice for one number, it gives the same keys. A run that
///   continues another asks for a number that is above all that were used, but perhaps was asked for already.
/// - **Keys are new.** No two periods share a key or a key ID, in whatever class. The packager refuses a period with a
///   key of the one before.
/// - **Complete.** There is a key for each class that is asked for; with an IV where FairPlay is among the systems.
/// - **Delivered.** When it returns, players can get the keys from whoever hands them out: playlists name them next.
/// - **Patience is the packager's.** It throws what went wrong, without waiting to try again: the packager asks again
///   until the time is up that the job grants, and cancels the task then. An error that trying again cannot mend is a
///   ``KeyPeriodFailure``, and ends the run at the end of the period before.
/// - **Silent.** Errors hold no key.
package protocol ContentKeyPeriods: Sendable {
    /// The keys of a period.
    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod
}

/// Which period's keys are wanted.
package struct KeyPeriodRequest: Hashable, Sendable {
    /// The number of the period, from 0.
    package var number: Int
    /// What is to be encrypted: each class may have a key of its own.
    package var trackClasses: [TrackClass]
    /// When it is expected to begin; nil where nothing has a date, as in films.
    package var start: PlaylistDate?
    /// How long it is expected to last, in seconds.
    package var duration: Double

    /// Describes a request.
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
    /// Its keys.
    package var keys: ContentKeys
    /// When it begins, in Unix seconds: what `{period}` of a key URI stands for; nil: it has no such place.
    package var start: Int64?

    /// Describes a period.
    package init(number: Int, keys: ContentKeys, start: Int64? = nil) {
        self.number = number
        self.keys = keys
        self.start = start
    }
}

/// Why a period has no keys, and will have none however often one asks.
package struct KeyPeriodFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the period, from 0.
    package let number: Int
    /// The reason, and what to do. Never a key.
    package let reason: String

    /// Describes a failure.
    package init(_ number: Int, _ reason: String) {
        self.number = number
        self.reason = reason
    }

    /// The period and the reason.
    package var description: String { "key period \(number): \(reason)" }
}
