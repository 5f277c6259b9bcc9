package import HLSPlaylist
import Synchronization

/// A channel that requests can wait for: its state, and the requests that wait for a later one.
package final class LiveChannel: Sendable {
    /// The end of a wait.
    package enum Outcome<Value: Sendable>: Sendable {
        /// The state gave this value.
        case value(Value)
        /// The deadline passed.
        case expired
        /// The server ends, or the request was cancelled.
        case ended
    }

    private struct Waiter {
        let deadline: Duration
        /// Tries to answer the request, and returns whether it was answered.
        let attempt: @Sendable (ChannelState) -> Bool
        let finish: @Sendable (_ isExpired: Bool) -> Void
    }

    private struct Contents {
        var state: ChannelState
        var waiters: [UInt64: Waiter] = [:]
        var nextID: UInt64 = 0
        var isClosed = false
    }

    /// The name: the path of the channel's folder; empty for files in the served folder itself.
    package let name: String
    private let contents: Mutex<Contents>

    /// Creates a channel without playlists.
    package init(name: String, memoryLimit: Int) {
        self.name = name
        contents = Mutex(Contents(state: ChannelState(memoryLimit: memoryLimit)))
    }

    /// The current state.
    package var state: ChannelState { contents.withLock { $0.state } }

    /// The number of waiting requests.
    package var waiting: Int { contents.withLock { $0.waiters.count } }

    /// Changes the state, and answers the requests that waited for it.
    package func update(_ change: (inout ChannelState) -> Void) {
        contents.withLock { contents in
            change(&contents.state)
            let state = contents.state
            for (id, waiter) in contents.waiters where waiter.attempt(state) { contents.waiters[id] = nil }
        }
    }

    /// Parses the next version of a playlist, which ``ChannelState/publish(_:_:)`` makes visible after its bytes were
    /// read. Requests are answered in the meantime.
    ///
    /// - Throws: ``PlaylistError`` if the text is not a playlist.
    package func prepare(
        _ text: [UInt8],
        at path: String,
        now: Duration,
        limits: PlaylistLimits = PlaylistLimits()
    ) throws(PlaylistError) -> PublishedPlaylist {
        let playlist = try Playlist(parsing: text, options: ParsingOptions(limits: limits))
        var dateRanges = DeltaUpdates.DateRanges()
        if case .media(let media) = playlist {
            dateRanges = contents.withLock { $0.state.recordDateRanges(of: media, at: path, now: now) }
        }
        return PublishedPlaylist(path: path, playlist: playlist, text: text, dateRanges: dateRanges)
    }

    /// Waits until the state gives a value.
    ///
    /// - Parameters:
    ///   - deadline: The latest time, by the clock of ``expire(now:)``.
    ///   - attempt: Returns the value, or nil to wait for the next state. It must be fast.
    package func value<Value: Sendable>(
        until deadline: Duration,
        _ attempt: @escaping @Sendable (ChannelState) -> Value?
    ) async -> Outcome<Value> {
        let id = contents.withLock { contents in
            contents.nextID += 1
            return contents.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                contents.withLock { contents in
                    if let value = attempt(contents.state) { return continuation.resume(returning: .value(value)) }
                    guard !contents.isClosed, !Task.isCancelled else { return continuation.resume(returning: .ended) }
                    contents.waiters[id] = Waiter(deadline: deadline) { state in
                        guard let value = attempt(state) else { return false }
                        continuation.resume(returning: .value(value))
                        return true
                    } finish: { isExpired in
                        continuation.resume(returning: isExpired ? .expired : .ended)
                    }
                }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: id) }?.finish(false)
        }
    }

    /// Ends the waits whose deadline is not after `now`.
    package func expire(now: Duration) {
        contents.withLock { contents in
            for (id, waiter) in contents.waiters where waiter.deadline <= now {
                contents.waiters[id] = nil
                waiter.finish(true)
            }
        }
    }

    /// Ends all waits, and those that would begin.
    package func close() {
        contents.withLock { contents in
            contents.isClosed = true
            for waiter in contents.waiters.values { waiter.finish(false) }
            contents.waiters = [:]
        }
    }
}

/// The channels of a server, by name.
package final class LiveChannels: Sendable {
    private struct Contents {
        var channels: [String: LiveChannel] = [:]
        var isClosed = false
    }

    /// The maximum number of bytes of a channel's files in memory.
    package let memoryLimit: Int
    private let maximum: Int
    private let contents = Mutex(Contents())

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - memoryLimit: The maximum number of bytes of each channel's files in memory.
    ///   - maximum: The maximum number of channels.
    package init(memoryLimit: Int, maximum: Int) {
        self.memoryLimit = memoryLimit
        self.maximum = maximum
    }

    /// True if the server is ending.
    package var isClosed: Bool { contents.withLock { $0.isClosed } }

    /// All channels, sorted by name.
    package var all: [LiveChannel] { contents.withLock { $0.channels.values.sorted { $0.name < $1.name } } }

    /// Returns a channel.
    package subscript(name: String) -> LiveChannel? { contents.withLock { $0.channels[name] } }

    /// Returns a channel, which is created if it does not exist; nil beyond the maximum.
    package func channel(creating name: String) -> LiveChannel? {
        contents.withLock { contents in
            if let channel = contents.channels[name] { return channel }
            guard contents.channels.count < maximum else { return nil }
            let channel = LiveChannel(name: name, memoryLimit: memoryLimit)
            if contents.isClosed { channel.close() }
            contents.channels[name] = channel
            return channel
        }
    }

    /// Removes a channel, and ends its waits.
    package func remove(_ name: String) { contents.withLock { $0.channels.removeValue(forKey: name) }?.close() }

    /// Ends the waits of all channels whose deadline is not after `now`.
    package func expire(now: Duration) { for channel in all { channel.expire(now: now) } }

    /// Ends the waits of all channels, for the shutdown.
    package func close() {
        let channels = contents.withLock { contents in
            contents.isClosed = true
            return Array(contents.channels.values)
        }
        for channel in channels { channel.close() }
    }
}
