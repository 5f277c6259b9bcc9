/// The history of the requests that servers have answered.
///
/// Each server process writes its own rows, so several servers add up, and a restart loses nothing but the interval that
/// was not written yet.
package protocol ActivityStore: Sendable {
    /// Writes rows; those with the same key are replaced.
    func writeActivity(_ records: [ActivityRecord]) async throws(KeyStoreError)

    /// Returns the rows of a query, sorted by start.
    func activity(_ query: ActivityQuery) async throws(KeyStoreError) -> [ActivityRecord]

    /// Deletes the rows that start before a time, in Unix seconds. Returns their number.
    @discardableResult
    func pruneActivity(before time: Int64) async throws(KeyStoreError) -> Int
}

/// The requests that one process has answered in an interval, with the same result.
package struct ActivityRecord: Sendable, Equatable {
    /// The length of the interval, in seconds.
    package let step: Int64
    /// The start of the interval, in Unix seconds.
    package let start: Int64
    /// The ID of the process, 8 bytes.
    package let node: [UInt8]
    /// The name of the title; empty for the requests of all titles.
    package let title: String
    /// The class of the device; empty without one, and in the records of a title.
    package let deviceClass: String
    /// The outcome, as in metrics.
    package let outcome: String
    /// The reason of a refusal or failure; empty without one, and in the records of a title.
    package let reason: String
    /// The number of requests.
    package let requests: Int64
    /// The encoded histogram of latencies, which the store does not interpret.
    package let latency: [UInt8]

    /// Creates a record.
    package init(
        step: Int64,
        start: Int64,
        node: [UInt8],
        title: String = "",
        deviceClass: String = "",
        outcome: String,
        reason: String = "",
        requests: Int64,
        latency: [UInt8] = []
    ) {
        self.step = step
        self.start = start
        self.node = node
        self.title = title
        self.deviceClass = deviceClass
        self.outcome = outcome
        self.reason = reason
        self.requests = requests
        self.latency = latency
    }

    /// The primary key as bytes.
    package var key: [UInt8] {
        bigEndianBytes(step) + bigEndianBytes(start) + node
            + [title, deviceClass, outcome, reason].flatMap { Array($0.utf8) + [0] }
    }
}

/// A part of the history of activity.
package struct ActivityQuery: Sendable, Equatable {
    /// The length of the intervals of rows, in seconds.
    package var step: Int64
    /// The first start, in Unix seconds.
    package var from: Int64
    /// The end of the starts, which is excluded.
    package var until: Int64
    /// The title; empty for the requests of all titles.
    package var title: String
    /// The class of the device; nil for all classes.
    package var deviceClass: String?

    /// Creates a query.
    package init(step: Int64, from: Int64, until: Int64, title: String = "", deviceClass: String? = nil) {
        self.step = step
        self.from = from
        self.until = until
        self.title = title
        self.deviceClass = deviceClass
    }
}
