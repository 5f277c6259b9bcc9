import FPSCrypto
package import Hummingbird
import Logging
import NIOCore
import NIOSSL

/// What travels with a request: Hummingbird's own things, who is at the other end, and which trace it belongs to.
package struct ServerRequestContext: RequestContext {
    /// Hummingbird's own things.
    package var coreContext: CoreRequestContextStorage
    /// Names the request in answers, logs and the audit. Hummingbird's own is in the logger's metadata alone, and a log
    /// handler may keep none.
    package let id: String
    /// The address at the other end of the connection, which may be a proxy's.
    package let peerAddress: ClientAddress?
    /// The client's address: the peer's, or what a trusted proxy says.
    package var clientAddress: ClientAddress?
    /// The trace that the request belongs to.
    package var trace: TraceContext

    /// The connection.
    private let channel: any Channel

    /// The client's address as text.
    package var remoteAddress: String? { clientAddress?.description }
    /// What can be asked for.
    var routes: RouteTable?

    /// Takes the connection's.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        id = source.logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
        peerAddress = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
        clientAddress = peerAddress
        trace = TraceContext()
        channel = source.channel
    }

    /// Has a client that waits for `100 Continue` send the body.
    func askForBody() { channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil) }

    /// The subject of the certificate that the client sent, as RFC 2253 writes it; nil when it sent none. TLS has held it
    /// against the listener's authorities.
    func clientCertificateSubject() async -> String? {
        guard let certificate = try? await channel.nioSSL_peerCertificate().get(),
            let der = try? certificate.toDERBytes()
        else { return nil }
        return try? X509Certificate(der).subject
    }
}
