public import Hummingbird
import NIOCore

/// What travels with a request: Hummingbird's own things, and who is at the other end.
public struct ServerRequestContext: RequestContext {
    /// Hummingbird's own things.
    public var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection, which may be a proxy's.
    public let remoteAddress: String?

    /// Takes the connection's.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }
}
