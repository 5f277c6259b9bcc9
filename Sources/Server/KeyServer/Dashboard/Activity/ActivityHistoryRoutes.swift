import Hummingbird
import KeyStore
import TextCoding

/// The route that shows the activity of all servers of the store, also before the last start.
///
///     GET /admin/activity/history[?from=TIME&until=TIME&step=SECONDS&title=NAME | &class=CLASS]
///
/// A server writes each minute when it has ended. Rows are kept for 30 days.
struct ActivityHistoryRoutes: Sendable {
    let store: any ActivityStore
    /// The maximum number of intervals in a response.
    static let slots: Int64 = 1_500
    /// The longest time for which intervals can be shorter than an hour, in seconds.
    static let longestOfMinutes: Int64 = 2 * 86_400
    /// The lengths of intervals, in seconds, if a request does not specify one.
    private static let steps: [Int64] = [60, 300, 900, 3_600, 21_600, 86_400]

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/activity/history", .read) { try await show($0) }]
    }

    private func show(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let until = try query.read("until").map { value throws(ProblemDocument) in
            try AdminFilters.milliseconds("until", value) / 1_000
        }
        let from = try query.read("from").map { value throws(ProblemDocument) in
            try AdminFilters.milliseconds("from", value) / 1_000
        }
        let step = try query.read("step").map { value throws(ProblemDocument) in
            guard let step = Int64(String(decoding: value, as: UTF8.self)), 60...86_400 ~= step, step % 60 == 0 else {
                throw ProblemDocument(.malformedRequest, detail: "step must be a multiple of 60 from 60 to 86400.")
            }
            return step
        }
        let title = try query.read("title").map { value throws(ProblemDocument) in
            try AdminFilters.text("title", value)
        }
        let deviceClass = try query.read("class").map { value throws(ProblemDocument) in
            try AdminFilters.text("class", value)
        }
        try query.finish()
        guard title == nil || deviceClass == nil else {
            throw ProblemDocument(.malformedRequest, detail: "title and class cannot be combined.")
        }
        let end = until ?? request.now
        let range = try Self.range(from: from ?? max(end - 86_400, 0), until: end, step: step)
        let rows = try await store.activity(
            ActivityQuery(
                step: range.step % 3_600 == 0 ? 3_600 : 60,
                from: range.start,
                until: range.end,
                title: title ?? "",
                deviceClass: deviceClass
            )
        )
        return ActivitySums(rows, start: range.start, end: range.end, step: range.step).json.response()
    }

    /// Returns whole intervals that contain the times.
    private static func range(
        from: Int64,
        until: Int64,
        step: Int64?
    ) throws(ProblemDocument) -> (start: Int64, end: Int64, step: Int64) {
        guard from < until else { throw ProblemDocument(.malformedRequest, detail: "from must be before until.") }
        func isAllowed(_ step: Int64) -> Bool {
            (until - from) / step < slots && (step % 3_600 == 0 || until - from <= longestOfMinutes)
        }
        guard let step = step ?? steps.first(where: isAllowed), isAllowed(step) else {
            throw ProblemDocument(
                .malformedRequest,
                detail: """
                    The time is too long for the step: at most \(slots) intervals, and at most two days unless the step is \
                    a multiple of 3600.
                    """
            )
        }
        return (from - from % step, (until - 1) / step * step + step, step)
    }
}

/// The sums of rows of all processes, by interval, outcome and class.
struct ActivitySums: Sendable {
    private let start: Int64
    private let step: Int64
    private var slots: [ActivitySeries.Slot]
    private var causes: [Activity.Cause: Int] = [:]
    private var classes: [String: Int] = [:]

    /// Adds up rows. Rows with an unknown outcome, of another version, are ignored.
    init(_ rows: [ActivityRecord], start: Int64, end: Int64, step: Int64) {
        self.start = start
        self.step = step
        slots = [ActivitySeries.Slot](repeating: ActivitySeries.Slot(), count: Int(max((end - start) / step, 0)))
        for row in rows {
            let index = Int((row.start - start) / step)
            guard slots.indices.contains(index), let outcome = ServerMetrics.Outcome(rawValue: row.outcome) else {
                continue
            }
            slots[index].add(Int(row.requests), outcome)
            if let latency = LatencyHistogram(encoded: row.latency) { slots[index].latency.add(latency) }
            let cause = Activity.Cause(outcome: outcome, reason: row.reason.isEmpty ? nil : row.reason)
            causes[cause, default: 0] += Int(row.requests)
            if !row.deviceClass.isEmpty { classes[row.deviceClass, default: 0] += Int(row.requests) }
        }
    }

    /// The sums in the administration API.
    var json: JSONValue {
        .fields([
            ("step", .integer(Int(step))),
            (
                "slots",
                .array(slots.enumerated().map { ActivityRoutes.json($0.element, at: start + Int64($0.offset) * step) })
            ),
            (
                "outcomes",
                .array(
                    causes.sorted { $0.value > $1.value }.map { cause, count in
                        .fields([
                            ("outcome", .string(cause.outcome.rawValue)),
                            ("reason", cause.reason.map { .string($0) }),
                            ("count", .integer(count)),
                        ])
                    }
                )
            ),
            (
                "classes",
                .array(
                    classes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                        .fields([("class", .string($0.key)), ("count", .integer($0.value))])
                    }
                )
            ),
        ])
    }
}
