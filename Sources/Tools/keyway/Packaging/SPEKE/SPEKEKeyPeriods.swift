import DRMSignaling
import HLSPlaylist
import Packager

/// A source of key periods that requests keys from a SPEKE server. With SPEKE v2.0, periods are identified only by
/// number: a run that continues an earlier one may request the same period with a different start time. With v2.1, the
/// start and the end are sent if they are known, and such a period gets other keys.
struct SPEKEKeyPeriods: ContentKeyPeriods {
    let client: SPEKEClient
    let exchange: KeyExchange

    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        var period = KeyExchange.Period(number: request.number)
        if exchange.version == .v2_4, let start = request.start?.seconds, (1..<1e9).contains(request.duration) {
            period.times = start..<start + Int64(request.duration.rounded(.up))
        }
        let response = try await client.send(exchange.question(for: request.trackClasses, in: period).xml)
        do {
            var keys = try exchange.keys(in: response, for: request.trackClasses, in: period)
            if !exchange.systems.contains(.fairPlay) { try keys.addRandomIVs() }
            return ContentKeyPeriod(number: request.number, keys: keys, start: request.start?.seconds)
        } catch let failure as KeyExchangeFailure {
            // A retry would fail with the same error.
            throw KeyPeriodFailure(request.number, "\(failure)")
        }
    }
}
