import Glibc

/// The processor time of the current thread. Other threads and processes do not affect it.
enum ProcessorTime {
    /// Returns the ratio of the time of a large amount of work to that of a small amount, which is measured first.
    ///
    /// Disturbances such as a cold cache or another process on the same core only increase a measurement. Therefore,
    /// the measurement is repeated up to five times until the ratio of the minimum times is below `limit`.
    static func ratio(
        of long: Int,
        to short: Int,
        below limit: Double,
        work: (Int) throws -> () -> Void
    ) rethrows -> Double {
        let (long, short) = (try work(long), try work(short))
        var least = (short: Double.infinity, long: Double.infinity)
        for _ in 0..<5 where least.long.isInfinite || least.long / least.short >= limit {
            least = (min(least.short, seconds(short)), min(least.long, seconds(long)))
        }
        return least.long / least.short
    }

    private static func seconds(_ work: () -> Void) -> Double {
        let start = now()
        work()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
