import FilmKeys
import SwiftUI

/// The list of films, each with its state.
public struct LibraryView: View {
    private let library: Library

    /// Creates the list of a library.
    public init(_ library: Library) { self.library = library }

    /// The list.
    public var body: some View {
        NavigationStack {
            List {
                if !library.isFairPlayAvailable {
                    Text(
                        "FairPlay Streaming does not work in the Simulator. Run the app on a device to play protected films."
                    )
                    .foregroundStyle(.red)
                }
                ForEach(library.films) { film in
                    NavigationLink {
                        FilmView(film)
                    } label: {
                        VStack(alignment: .leading) {
                            Text(film.film.title)
                            if let state = film.stateText { Text(state).font(.caption).foregroundStyle(.secondary) }
                        }
                    }
                }
                NavigationLink("Device checks") { DeviceChecksView(library) }
            }
            .navigationTitle("Films")
        }
    }
}

extension FilmModel {
    /// The state of the download, for the list.
    var stateText: String? {
        switch download {
        case .none: nil
        case .loadingKeys: "Loading keys"
        case .downloading(let fraction): "Downloading, \(Int(fraction * 100)) percent"
        case .finished: watchTime() ?? "Downloaded"
        case .failed: "The download failed"
        case .mediaMissing: "The download was deleted by the system"
        }
    }
}
