/// The cuts of a leading track, counted from its first. Those that every track has passed are forgotten, so that a
/// channel does not gather them for ever.
struct CutList: Sendable {
    private var times: [MediaTime] = []
    /// How many are forgotten.
    private var first = 0

    /// How many there were in all.
    var count: Int { first + times.count }

    /// A cut by its number, which is not forgotten.
    subscript(number: Int) -> MediaTime { times[max(0, number - first)] }

    mutating func append(_ time: MediaTime) { times.append(time) }

    /// Forgets cuts below a number, when there are many.
    mutating func forget(before number: Int) {
        let count = min(number - first, times.count)
        guard count > 64 else { return }
        times.removeFirst(count)
        first += count
    }
}
