import Glibc

/// How the processes of plug-ins are started and bounded.
package struct PluginProcessSettings: Sendable {
    /// The executable. By default that of the server, even if its file was replaced since the server started.
    package var executable = "/proc/self/exe"
    /// The first arguments, which select the command; the number of sockets for calls follows.
    package var arguments = ["keyway-server", "dask-process"]
    /// The environment: only where the loader searches for libraries.
    package var environment = getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + String(cString: $0)] } ?? []
    /// The number of calls at a time, at most ``maximumCalls``.
    package var calls = 1
    /// The maximum number of calls at a time.
    package static let maximumCalls = 256
    /// The maximum time of a call. After that, the process is killed.
    package var callLimit: Duration = .seconds(2)
    /// The maximum time until a plug-in is loaded.
    package var loadLimit: Duration = .seconds(10)
    /// The maximum time that a call waits for one of the sockets.
    package var patience: Duration = .milliseconds(100)
    /// The bound of a process's resident memory, in bytes. A process that exceeds it is replaced. Twice as much cannot
    /// be allocated.
    package var memory = 256 << 20
    /// Returns how long to wait before the next start, for the number of failures in a row, at least 1.
    package var pause: @Sendable (_ failures: Int) -> Duration = Self.pause
    /// The time after which a process that ends is the first failure in a row.
    package var stableAfter: Duration = .seconds(10)

    /// Creates settings with the default values.
    package init() {}

    /// The pauses of 100 ms, 200 ms, 400 ms and so on, up to 30 s.
    package static func pause(failures: Int) -> Duration {
        .milliseconds(min(100 << min(max(failures, 1) - 1, 16), 30_000))
    }
}
