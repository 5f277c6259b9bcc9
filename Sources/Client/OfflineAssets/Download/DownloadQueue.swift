import HLSPlaylist
import StreamPlayer

/// Which file is fetched next, and when one that failed is tried again: a value without a clock. Moments are how long it has
/// been since one fixed moment.
///
/// | Event | What comes of it |
/// |---|---|
/// | a place is free, of all and of a host | the earliest file by time that waits and may go there |
/// | a file is there | nothing waits for it any more |
/// | a failure that may pass | the file waits for a pause that doubles, or as long as the server says, and longer by chance |
/// | the same without a byte of progress, for the last time | the download stops |
/// | any other failure | the download stops |
struct DownloadQueue: Sendable {
    private let settings: DownloadSettings
    private let hosts: [Int: String]
    /// Files that wait for a place, the last first, by host.
    private var waiting: [String: [Int]] = [:]
    private var delayed: [Int: Duration] = [:]
    private var active: Set<Int> = []
    private var activeOfHost: [String: Int] = [:]
    private var failures: [Int: Int] = [:]

    /// - Parameter urls: of the files that are to be fetched, by their places.
    init(_ urls: [Int: String], settings: DownloadSettings) {
        self.settings = settings
        hosts = urls.mapValues(Self.host)
        for (file, host) in hosts { waiting[host, default: []].append(file) }
        for host in waiting.keys { waiting[host]?.sort(by: >) }
    }

    /// Whether nothing waits and nothing is under way.
    var isDone: Bool { active.isEmpty && delayed.isEmpty && waiting.values.allSatisfy(\.isEmpty) }

    /// When the next file that failed is to be tried again; nil where none waits for that.
    var nextMoment: Duration? { delayed.values.min() }

    /// Takes a file that is to be fetched now; nil where there is none, or no place.
    mutating func next(now: Duration) -> Int? {
        for (file, moment) in delayed where moment <= now {
            delayed[file] = nil
            put(file)
        }
        guard active.count < max(1, settings.parallel) else { return nil }
        let free = waiting.filter { host, files in
            !files.isEmpty && activeOfHost[host, default: 0] < max(1, settings.parallelPerHost)
        }
        guard let host = free.min(by: { ($0.value.last ?? 0) < ($1.value.last ?? 0) })?.key,
            let file = waiting[host]?.popLast()
        else { return nil }
        active.insert(file)
        activeOfHost[host, default: 0] += 1
        return file
    }

    /// The bytes of a file came.
    mutating func finished(_ file: Int) {
        leave(file)
        failures[file] = nil
    }

    /// A file is to be fetched, once more or after all.
    mutating func again(_ file: Int) {
        leave(file)
        if hosts[file] != nil { put(file) }
    }

    /// A file did not come.
    ///
    /// - Parameters:
    ///   - progressed: whether any bytes of it did.
    ///   - retryAfter: what the server says.
    ///   - chance: 0 to 1.
    /// - Returns: which attempt comes next, and after what pause; nil where there will be none.
    mutating func failed(
        _ file: Int,
        _ error: MediaLoadError,
        progressed: Bool,
        retryAfter: Duration?,
        chance: Double,
        now: Duration
    ) -> (attempt: Int, pause: Duration)? {
        leave(file)
        let count = (progressed ? 0 : failures[file, default: 0]) + 1
        failures[file] = count
        guard error.passes, count < max(1, settings.attempts) else { return nil }
        // Sixteen doublings are longer than any longest pause.
        var pause = settings.firstPause * (1 << min(count - 1, 16))
        pause += pause * min(max(chance, 0), 1) * 0.5
        pause = min(max(pause, retryAfter ?? .zero), settings.longestPause)
        delayed[file] = now + pause
        return (count + 1, pause)
    }

    private mutating func leave(_ file: Int) {
        guard active.remove(file) != nil, let host = hosts[file] else { return }
        activeOfHost[host, default: 1] -= 1
    }

    private mutating func put(_ file: Int) {
        guard let host = hosts[file] else { return }
        var files = waiting[host] ?? []
        guard !files.contains(file) else { return }
        // From the earliest at the end.
        files.insert(file, at: files.firstIndex { $0 < file } ?? files.endIndex)
        waiting[host] = files
    }

    /// Scheme, host and port.
    private static func host(of url: String) -> String {
        let rest = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        return rest.joined(separator: "/").lowercased()
    }
}

extension MediaLoadError {
    /// Whether the same may succeed later. Unlike at a live edge, what is not there now will not come.
    var passes: Bool {
        switch code {
        case .noConnection, .deadline, .wrongRange: true
        case .status:
            status.map { $0 == 408 || $0 == 425 || $0 == 429 || (500...599).contains($0) && $0 != 501 } ?? false
        case .notFound, .tooLarge, .badAddress, .cancelled, .abandoned: false
        }
    }
}
