/// The numbers between which entries can match a filter, exclusive.
package struct AuditBounds: Sendable, Equatable {
    /// The number before which entries are.
    package let before: Int64
    /// The number after which entries are.
    package let after: Int64

    /// Determines the numbers from the times of a filter; nil if no entry can match.
    ///
    /// - Parameters:
    ///   - before: The number before which entries are; nil for all entries.
    ///   - first: Returns the number of the first entry at or after a time, in Unix milliseconds, in the order of times.
    ///   - last: Returns the number of the last entry before a time.
    package init?(
        _ filter: AuditFilter,
        before: Int64?,
        first: (_ time: Int64) throws -> Int64?,
        last: (_ time: Int64) throws -> Int64?
    ) rethrows {
        var (upper, lower) = (before ?? Int64.max, Int64.min)
        if let from = filter.from {
            let (time, isOverflow) = from.subtractingReportingOverflow(AuditFilter.timeTolerance)
            guard let number = try first(isOverflow ? .min : time) else { return nil }
            lower = number - 1
        }
        if let until = filter.until {
            let (time, isOverflow) = until.addingReportingOverflow(AuditFilter.timeTolerance)
            guard let number = try last(isOverflow ? .max : time) else { return nil }
            upper = min(upper, number == .max ? number : number + 1)
        }
        self.before = upper
        after = lower
    }
}
