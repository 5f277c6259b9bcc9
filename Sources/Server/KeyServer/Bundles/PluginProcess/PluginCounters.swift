import Synchronization

/// The counters of one bundle's plug-in, since the server was started.
package final class PluginCounters: Sendable {
    /// The calls, including those that failed.
    let calls = Atomic(0)
    /// The calls that failed because of the plug-in or its process.
    let failures = Atomic(0)
    /// The calls that exceeded their deadline.
    let deadlines = Atomic(0)
    /// The starts of a process after the first.
    let restarts = Atomic(0)

    /// Creates counters with zero values.
    package init() {}
}
