import HLSPlaylist
import StreamPlayer

/// A queue of the files to download and retry, without a clock. Times are durations since a fixed start.
///
/// | Event | Effect |
/// |---|---|
/// | a slot is free, overall and for a host | the first waiting file of a host with a free slot is started |
/// | a file is complete | it is removed |
/// | a temporary failure | the file waits for a backoff with jitter, at least for the time that the server specifies |
/// | a temporary failure after the last attempt without progress | the download stops |
/// | any other failure | the download stops |
struct DownloadQueue: Sendable {
    private let settings: DownloadSettings
    private let hosts: [Int: String]
    /// The waiting files by host, in reverse order.
    private var waiting: [String: [Int]] = [:]
    private var delayed: [Int: Duration] = [:]
    private var active: Set<Int> = []
    private var activeOfHost: [String: Int] = [:]
    private var failures: [Int: Int] = [:]
    /// The longest length of each file at a failure, in bytes.
    private var lengths: [Int: UInt64] = [:]

    /// - Parameters:
    ///   - urls: The URLs of the files to download, by file index.
    ///   - settings: The settings of the download.
    init(_ urls: [Int: String], settings: DownloadSettings) {
        self.settings = settings
        hosts = urls.mapValues(Self.host)
        for (file, host) in hosts { waiting[host, default: []].append(file) }
        for host in waiting.keys { waiting[host]?.sort(by: >) }
    }

    /// True if all files are finished.
    var isDone: Bool { active.isEmpty && delayed.isEmpty && waiting.values.allSatisfy(\.isEmpty) }

    /// The time of the next retry, if any.
    var nextMoment: Duration? { delayed.values.min() }

    /// Returns the next file to download; nil if there is none or no free slot.
    mutating func next(now: Duration) -> Int? {
        for (file, moment) in delayed where moment <= now {
            delayed[file] = nil
            enqueue(file)
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

    /// Marks a file as received.
    mutating func finished(_ file: Int) {
        release(file)
        failures[file] = nil
    }

    /// Puts a file into the queue again.
    mutating func requeue(_ file: Int) {
        release(file)
        if hosts[file] != nil { enqueue(file) }
    }

    /// Marks the attempt to download a file as failed.
    ///
    /// - Parameters:
    ///   - file: The index of the file.
    ///   - error: The error.
    ///   - length: The length of the file in bytes at the failure. If it is longer than at every earlier failure, the
    ///     attempts are counted from 1 again. A file that is cut off each time, and cannot be resumed, is not longer.
    ///   - retryAfter: The delay that the server requires.
    ///   - chance: A random number from 0 to 1.
    ///   - now: The current time.
    /// - Returns: The number of the next attempt and the delay before it, if any.
    mutating func failed(
        _ file: Int,
        _ error: MediaLoadError,
        length: UInt64,
        retryAfter: Duration?,
        chance: Double,
        now: Duration
    ) -> (attempt: Int, pause: Duration)? {
        release(file)
        let hasProgressed = length > lengths[file, default: 0]
        lengths[file] = max(length, lengths[file, default: 0])
        let count = (hasProgressed ? 0 : failures[file, default: 0]) + 1
        failures[file] = count
        let canRetry = error.canRetryDownload || settings.retriesMissingFiles && error.code == .notFound
        guard canRetry, count < max(1, settings.attempts) else { return nil }
        // After sixteen doublings, every practical delay has reached its maximum.
        var pause = settings.initialRetryDelay * (1 << min(count - 1, 16))
        pause += pause * min(max(chance, 0), 1) * 0.5
        pause = min(max(pause, retryAfter ?? .zero), settings.maximumRetryDelay)
        delayed[file] = now + pause
        return (count + 1, pause)
    }

    private mutating func release(_ file: Int) {
        guard active.remove(file) != nil, let host = hosts[file] else { return }
        activeOfHost[host, default: 1] -= 1
    }

    private mutating func enqueue(_ file: Int) {
        guard let host = hosts[file] else { return }
        var files = waiting[host] ?? []
        guard !files.contains(file) else { return }
        // The list is in reverse order, with the first file at its end.
        files.insert(file, at: files.firstIndex { $0 < file } ?? files.endIndex)
        waiting[host] = files
    }

    /// Returns scheme, host and port of a URL.
    private static func host(of url: String) -> String {
        let rest = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        return rest.joined(separator: "/").lowercased()
    }
}

extension MediaLoadError {
    /// True if a retry may succeed. Unlike at a live edge, a missing resource will not appear.
    var canRetryDownload: Bool {
        switch code {
        case .noConnection, .deadline, .wrongRange: true
        case .status:
            status.map { $0 == 408 || $0 == 425 || $0 == 429 || (500...599).contains($0) && $0 != 501 } ?? false
        case .notFound, .tooLarge, .badAddress, .redirects, .untrusted, .encoding, .damaged, .cancelled, .abandoned:
            false
        }
    }
}
