import DRMSignaling
import HLSPlaylist
import Packager

/// A source of key periods that requests keys from a SPEKE v2.0 server. Periods are identified only by number: a run
/// that continues an earlier one may request the same period with a different start time.
struct SPEKEKeyPeriods: ContentKeyPeriods {
    let client: SPEKEClient
    let exchange: KeyExchange

    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        let period = KeyExchange.Period(number: request.number)
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
