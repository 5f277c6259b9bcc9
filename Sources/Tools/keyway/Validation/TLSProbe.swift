import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import StreamValidation

/// Connects to a host once to observe its TLS, which the HTTP client does not report. No data is sent after the handshake.
enum TLSProbe {
    /// Returns the observations of a connection; nil if there is no connection within the timeout.
    static func observe(
        _ host: TLSHost,
        _ configuration: TLSConfiguration,
        timeout: TimeAmount = .seconds(5)
    ) async -> TLSObservation? {
        var configuration = configuration
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let result = loop.makePromise(of: TLSObservation?.self)
        loop.scheduleTask(in: timeout) { result.succeed(nil) }
        // Addresses are not names for SNI.
        let name = (try? SocketAddress(ipAddress: host.name, port: host.port)) == nil ? host.name : nil
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    try pipeline.addHandler(HandshakeObserver(result))
                }
            }
            .connect(host: host.name, port: host.port)
            .whenComplete { connection in
                switch connection {
                case .success(let channel): result.futureResult.whenComplete { _ in channel.close(promise: nil) }
                case .failure: result.succeed(nil)
                }
            }
        return try? await result.futureResult.get()
    }
}

/// A handler that reads the version and the certificate after the handshake.
private final class HandshakeObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let result: EventLoopPromise<TLSObservation?>

    init(_ result: EventLoopPromise<TLSObservation?>) { self.result = result }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            result.succeed(Self.observation(context.pipeline.syncOperations))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        result.succeed(nil)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { result.succeed(nil) }

    private static func observation(_ pipeline: ChannelPipeline.SynchronousOperations) -> TLSObservation {
        var observation = TLSObservation()
        switch try? pipeline.nioSSL_tlsVersion() {
        case .tlsv1?: observation.minorVersion = 0
        case .tlsv11?: observation.minorVersion = 1
        case .tlsv12?: observation.minorVersion = 2
        case .tlsv13?: observation.minorVersion = 3
        default: break
        }
        // After a handshake, the key of the certificate was read once, so that it can be extracted.
        if let certificate = try? pipeline.nioSSL_peerCertificate(),
            let bytes = try? certificate.extractPublicKey().toSPKIBytes()
        {
            observation.key = TLSObservation.Key(subjectPublicKeyInfo: bytes)
        }
        return observation
    }
}

extension TLSObservation.Key {
    /// The object identifiers of RSA (1.2.840.113549.1.1.1) and of elliptic curves (1.2.840.10045.2.1).
    private static let rsaIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let curveIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    /// Reads the size of a public key from a SubjectPublicKeyInfo (RFC 5280, section 4.1; RFC 8017, appendix A.1.1;
    /// RFC 5480, section 2); nil for other kinds of keys, and if it cannot be read.
    init?(subjectPublicKeyInfo bytes: [UInt8]) {
        guard let info = Self.element(0x30, bytes[...])?.content, let algorithm = Self.element(0x30, info),
            let identifier = Self.element(0x06, algorithm.content)?.content,
            // The first byte of a BIT STRING is the number of unused bits.
            let key = Self.element(0x03, algorithm.rest)?.content, key.first == 0
        else { return nil }
        switch Array(identifier) {
        case Self.rsaIdentifier:
            guard let numbers = Self.element(0x30, key.dropFirst())?.content,
                let modulus = Self.element(0x02, numbers)?.content.drop(while: { $0 == 0 }), let first = modulus.first
            else { return nil }
            self.init(.rsa, bits: modulus.count * 8 - first.leadingZeroBitCount)
        case Self.curveIdentifier:
            // An uncompressed point: 4, and two coordinates. P-521 has coordinates of 66 bytes.
            guard key.dropFirst().first == 4 else { return nil }
            let size = (key.count - 2) / 2 * 8
            self.init(.ellipticCurve, bits: size == 528 ? 521 : size)
        default: return nil
        }
    }

    /// Returns the content of a DER element with a tag at the start of bytes, and what follows it; nil without such an element.
    private static func element(
        _ tag: UInt8,
        _ bytes: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard bytes.first == tag, let length = bytes.dropFirst().first else { return nil }
        var rest = bytes.dropFirst(2)
        var count = Int(length)
        if length >= 0x80 {
            let digits = rest.prefix(Int(length & 0x7F))
            // A key has fewer than 16 MiB.
            guard (1...3).contains(digits.count), digits.count == Int(length & 0x7F) else { return nil }
            count = digits.reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits.count)
        }
        guard count <= rest.count else { return nil }
        return (rest.prefix(count), rest.dropFirst(count))
    }
}
