/// The cuts of a leading track, by number. Cuts that every track has passed are removed, so that memory is bounded for
/// live channels.
struct CutList: Sendable {
    private var times: [RationalTime] = []
    /// The number of cuts removed.
    private var first = 0

    /// The total number of cuts, including removed ones.
    var count: Int { first + times.count }

    /// The cut with a number, which must not have been removed.
    subscript(number: Int) -> RationalTime { times[max(0, number - first)] }

    mutating func append(_ time: RationalTime) { times.append(time) }

    /// Removes the cuts before a number, if there are many.
    mutating func removeCuts(before number: Int) {
        let count = min(number - first, times.count)
        guard count > 64 else { return }
        times.removeFirst(count)
        first += count
    }
}
