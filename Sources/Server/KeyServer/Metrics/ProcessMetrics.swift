import Glibc

/// This process as the system sees it, in the names that every client library of Prometheus uses.
enum ProcessMetrics {
    static var families: [MetricReading] {
        [
            MetricReading("process_start_time_seconds", "When the process started, in Unix seconds.") { startTime },
            MetricReading(
                "process_cpu_seconds_total",
                "Processor time that the process has used, in its own code and in the system's for it.",
                .counter
            ) { processorSeconds },
            MetricReading("process_resident_memory_bytes", "Memory of the process that is not swapped out.") {
                residentMemory
            },
            MetricReading("process_open_fds", "Files and connections that the process has open.") { openFiles },
            MetricReading("process_max_fds", "How many files and connections the process may have open.") {
                maximumFiles
            },
        ]
    }

    /// The process's start in clock ticks since the system's (field 22 of stat), and when that was.
    private static var startTime: Double? {
        guard let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")"),
            let system = text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let began = Double(system.dropFirst(6))
        else { return nil }
        // The name before it, in parentheses, may hold anything. Behind it comes field 3.
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        return began + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static var processorSeconds: Double? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    private static var residentMemory: Double? {
        guard let pages = text("/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else {
            return nil
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static var openFiles: Double? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the folder itself.
        return Double(count - 3)
    }

    private static var maximumFiles: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == .max ? .infinity : Double(limit.rlim_cur)
    }

    /// A small file of the system, whose size is not known before it is read.
    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
