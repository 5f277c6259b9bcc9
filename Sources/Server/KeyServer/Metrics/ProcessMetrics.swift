import Glibc

/// Metrics of this process from the operating system, with the names that Prometheus client libraries use.
enum ProcessMetrics {
    static var families: [MetricReading] {
        [
            MetricReading("process_start_time_seconds", "The start of the process, in Unix seconds.") { startTime },
            MetricReading(
                "process_cpu_seconds_total",
                "User and system CPU time of the process, in seconds.",
                .counter
            ) { processorSeconds },
            MetricReading("process_resident_memory_bytes", "Resident memory of the process, in bytes.") {
                residentMemory
            },
            MetricReading("process_open_fds", "Open file descriptors of the process.") { openFiles },
            MetricReading("process_max_fds", "The maximum number of open file descriptors of the process.") {
                maximumFiles
            },
        ]
    }

    /// The start time of the process: the system's boot time plus the clock ticks in field 22 of stat.
    private static var startTime: Double? {
        guard let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")"),
            let system = text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let began = Double(system.dropFirst(6))
        else { return nil }
        // The process name, in parentheses, can contain any character. Field 3 follows it.
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
        // Do not count `.`, `..` and the descriptor of this folder.
        return Double(count - 3)
    }

    private static var maximumFiles: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == .max ? .infinity : Double(limit.rlim_cur)
    }

    /// Reads a file in /proc, whose size is not known in advance.
    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
