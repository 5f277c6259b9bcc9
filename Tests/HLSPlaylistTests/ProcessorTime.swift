import Glibc

/// Processor time of this thread alone: what else the machine does meanwhile does not count.
enum ProcessorTime {
    /// How many times as long work of one size takes as work of another, which is done first.
    ///
    /// What disturbs a measurement, a cold cache or a neighbor on the core, makes it longer and never shorter: it is
    /// tried up to five times until the least of each are in a ratio below `limit`.
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
