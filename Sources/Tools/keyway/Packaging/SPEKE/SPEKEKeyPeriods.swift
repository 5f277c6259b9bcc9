import DRMSignaling
import HLSPlaylist
import Packager

/// The keys of periods from a key server that speaks SPEKE v2.0. A period is named by its number alone: a run that continues
/// another may ask for one again, expecting it to begin at another time.
struct SPEKEKeyPeriods: ContentKeyPeriods {
    let client: SPEKEClient
    let exchange: KeyExchange

    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        let period = KeyExchange.Period(number: request.number)
        let answer = try await client.ask(exchange.question(for: request.trackClasses, in: period).xml)
        do {
            var keys = try exchange.keys(in: answer, for: request.trackClasses, in: period)
            if !exchange.systems.contains(.fairPlay) { try keys.addRandomIVs() }
            return ContentKeyPeriod(number: request.number, keys: keys, start: request.start?.seconds)
        } catch let failure as KeyExchangeFailure {
            // Asked again, the server says the same.
            throw KeyPeriodFailure(request.number, "\(failure)")
        }
    }
}
