import Foundation

/// The processor time of a process, from /proc.
struct ProcessTime: Sendable {
    let pid: Int32

    /// The user and system time of all threads so far, in seconds; nil if the process does not exist.
    var seconds: Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return nil }
        return Self.seconds(stat: text, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Returns the sum of utime and stime, the 14th and 15th fields. The second field is the name in parentheses, which
    /// may contain any character.
    static func seconds(stat: String, ticksPerSecond: Double) -> Double? {
        guard let bracket = stat.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / ticksPerSecond
    }

    /// The processor time of this process, in seconds.
    static var own: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
