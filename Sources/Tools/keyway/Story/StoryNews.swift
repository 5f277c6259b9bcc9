import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Tells what the key loader has written into its logs since it was last looked at.
actor StoryNews {
    private let teller: StoryTeller
    private let loader: KeyLoader
    private var seen = (accesses: 0, errors: 0)
    private var airPlayKeys: Int?
    /// The keys of the film.
    private(set) var identifiers: [String] = []

    init(_ teller: StoryTeller, _ loader: KeyLoader) { (self.teller, self.loader) = (teller, loader) }

    /// Notes which keys the film has.
    func remember(_ playlist: MultivariantPlaylist) {
        identifiers = playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.compactMap(\.key.uri)
    }

    /// From now on keys that come are those of the television: many, and counted only.
    func beginAirPlay() { airPlayKeys = 0 }

    /// Says how many there were.
    func endAirPlay(at time: Duration) async {
        await tell(at: time)
        teller.event(at: time, "On the television \(airPlayKeys ?? 0) requests were made, and each was answered.")
        airPlayKeys = nil
    }

    /// Tells what is new.
    func tell(at time: Duration) async {
        let all = await loader.accessLog.entries
        let new = all.dropFirst(seen.accesses)
        seen.accesses = all.count
        for kind in [KeyAccess.Kind.certificate, .preload, .renewal, .onDemand] {
            let accesses = new.filter { $0.kind == kind }
            if !accesses.isEmpty { tell(kind, accesses, at: time) }
        }
        let failures = await loader.errorLog.entries
        for entry in failures.dropFirst(seen.errors) { teller.event(at: time, "\(entry)") }
        seen.errors = failures.count
    }

    private func tell(_ kind: KeyAccess.Kind, _ accesses: [KeyAccess], at time: Duration) {
        let labels = accesses.map { "\($0.label)" }.joined(separator: ", ")
        let trips = Self.roundTrips(accesses)
        switch kind {
        case .certificate: teller.event(at: time, "The certificate is fetched; it is kept for a day.")
        case .preload: teller.event(at: time, "\(accesses.count) keys are there, in \(trips): \(labels)")
        case .renewal:
            teller.chapter("The lease is renewed")
            teller.event(at: time, "\(accesses.count) leases go on before they end, in \(trips): \(labels)")
        case .onDemand where airPlayKeys != nil: airPlayKeys? += accesses.count
        case .onDemand: teller.event(at: time, "\(accesses.count) keys were asked for when they were needed: \(labels)")
        }
    }

    /// Each key says how many shared its round trip.
    private static func roundTrips(_ accesses: [KeyAccess]) -> String {
        let trips = accesses.reduce(0.0) { $0 + 1 / Double(max($1.batchSize, 1)) }.rounded()
        return trips > 1 ? "\(Int(trips)) round trips" : "one round trip"
    }

    // MARK: Words

    /// A variant, by the size of its picture.
    static func words(_ variant: Variant) -> String {
        variant.resolution.map { "\($0.width)x\($0.height)" } ?? "\(variant.bandwidth) bit/s"
    }

    /// What a viewer would notice; nil for nothing.
    static func words(_ transition: BufferModel.Transition) -> String? {
        switch transition {
        case .started: "The viewer sees the first picture."
        case .stalled: "The viewer's picture stands still."
        case .resumed: "It moves again."
        case .jumped: "The viewer misses something."
        case .ended: nil
        }
    }
}
