import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// A printer of the events that the key loader has logged.
actor StoryKeyEvents {
    private let printer: StoryPrinter
    private let loader: KeyLoader
    private var seen = (accesses: 0, errors: 0)
    private var airPlayKeys: Int?
    /// The identifiers of the movie's keys.
    private(set) var identifiers: [String] = []

    init(_ printer: StoryPrinter, _ loader: KeyLoader) { (self.printer, self.loader) = (printer, loader) }

    /// Stores the key identifiers of the playlist.
    func setKeys(of playlist: MultivariantPlaylist) {
        identifiers = playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.compactMap(\.key.uri)
    }

    /// Starts counting key requests during AirPlay, instead of printing each one.
    func beginAirPlay() { airPlayKeys = 0 }

    /// Stops counting, and prints the number of requests.
    func endAirPlay(at time: Duration) async {
        await printEvents(at: time)
        printer.event(
            at: time,
            "\(airPlayKeys ?? 0) keys were requested during AirPlay, and all requests were answered."
        )
        airPlayKeys = nil
    }

    /// Prints the events since the last call.
    func printEvents(at time: Duration) async {
        let all = await loader.accessLog.entries
        let new = all.dropFirst(seen.accesses)
        seen.accesses = all.count
        for kind in [KeyAccess.Kind.certificate, .preload, .renewal, .onDemand] {
            let accesses = new.filter { $0.kind == kind }
            if !accesses.isEmpty { printAccesses(kind, accesses, at: time) }
        }
        let failures = await loader.errorLog.entries
        for entry in failures.dropFirst(seen.errors) { printer.event(at: time, "\(entry)") }
        seen.errors = failures.count
    }

    private func printAccesses(_ kind: KeyAccess.Kind, _ accesses: [KeyAccess], at time: Duration) {
        let labels = accesses.map { "\($0.label)" }.joined(separator: ", ")
        let trips = Self.roundTrips(accesses)
        switch kind {
        case .certificate: printer.event(at: time, "The certificate was loaded; it is cached for a day.")
        case .preload: printer.event(at: time, "\(accesses.count) keys preloaded, in \(trips): \(labels)")
        case .renewal:
            printer.chapter("Lease renewal")
            printer.event(at: time, "\(accesses.count) leases renewed before they expire, in \(trips): \(labels)")
        case .onDemand where airPlayKeys != nil: airPlayKeys? += accesses.count
        case .onDemand: printer.event(at: time, "\(accesses.count) keys requested on demand: \(labels)")
        }
    }

    /// Returns the number of round trips as text, from the number of keys that shared each round trip.
    private static func roundTrips(_ accesses: [KeyAccess]) -> String {
        let trips = accesses.reduce(0.0) { $0 + 1 / Double(max($1.batchSize, 1)) }.rounded()
        return trips > 1 ? "\(Int(trips)) round trips" : "one round trip"
    }

    // MARK: Text

    /// Returns a variant as text: its resolution, or its bandwidth.
    static func text(_ variant: Variant) -> String {
        variant.resolution.map { "\($0.width)x\($0.height)" } ?? "\(variant.bandwidth) bit/s"
    }

    /// Returns a change of the playback state as text; nil for the end.
    static func text(_ transition: BufferModel.Transition) -> String? {
        switch transition {
        case .started: "Playback starts."
        case .stalled: "Playback stalls."
        case .resumed: "Playback resumes."
        case .jumped: "Playback skips missing media."
        case .ended: nil
        }
    }
}
