import HTTPTypes
package import Hummingbird
import NIOCore

extension MetricRegistry {
    /// Puts `GET /metrics` on a router: the one for administration.
    package func add(to router: Router<ServerRequestContext>) {
        router.get("/metrics") { [self] _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: await exposition()))
            )
        }
    }
}
