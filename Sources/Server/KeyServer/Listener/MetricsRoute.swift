import HTTPTypes
package import Hummingbird
import NIOCore

extension MetricRegistry {
    /// Adds `GET /metrics` to the router for administration.
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
