import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 connections whose requests are handled on the thread of their event loop.
///
/// Swift's own threads would take each request over from the loop and hand its answer back, two changes of threads for
/// nothing: a route parses a few kilobytes, and what takes long, RSA and SQL, is on threads of its own anyway. For routes
/// of which that is not true, those of administration, this is not.
struct OnEventLoop: ServerChildChannel {
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

/// Runs the parts of a task on an event loop.
private final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
