import FPSCrypto
package import Hummingbird
import Logging
import NIOCore
import NIOSSL

/// The context of a request: Hummingbird's context, the client's address, and the trace.
package struct ServerRequestContext: RequestContext {
    /// The context of Hummingbird.
    package var coreContext: CoreRequestContextStorage
    /// The request ID in responses, logs and the audit log. Hummingbird's ID is only in the logger's metadata, which a
    /// log handler may not store.
    package let id: String
    /// The remote address of the connection, which may be a proxy's.
    package let peerAddress: ClientAddress?
    /// The client's address: the remote address, or the one that a trusted proxy provides.
    package var clientAddress: ClientAddress?
    /// The trace that the request belongs to.
    package var trace: TraceContext

    /// The connection.
    private let channel: any Channel

    /// The client's address as text.
    package var remoteAddress: String? { clientAddress?.description }
    /// The table of all routes.
    var routes: RouteTable?

    /// Creates the context from a connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        id = source.logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
        peerAddress = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
        clientAddress = peerAddress
        trace = TraceContext()
        channel = source.channel
    }

    /// Sends `100 Continue` if the client waits for it.
    func sendContinue() { channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil) }

    /// Returns the subject of the client's certificate in RFC 2253 format; nil if the client sent none. TLS has
    /// verified it with the listener's authorities.
    func clientCertificateSubject() async -> String? {
        guard let certificate = try? await channel.nioSSL_peerCertificate().get(),
            let der = try? certificate.toDERBytes()
        else { return nil }
        return try? X509Certificate(der).subject
    }
}
