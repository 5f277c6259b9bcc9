import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 connections whose requests are handled on the thread of their event loop.
///
/// On Swift's cooperative threads, each request would need two additional thread switches. They have no benefit here: a
/// route parses a few kilobytes, and RSA and SQL run on separate threads anyway. The routes for administration can take
/// longer, so they do not use this.
struct EventLoopChannel: ServerChildChannel {
    typealias Value = GuardedChannel.Value

    let base: GuardedChannel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs the jobs of a task on an event loop.
private final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
