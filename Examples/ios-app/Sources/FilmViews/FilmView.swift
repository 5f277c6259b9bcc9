import FilmKeys
import SwiftUI

/// The page of a film: play, download, the remaining time, and what went wrong.
struct FilmView: View {
    @Bindable private var film: FilmModel

    init(_ film: FilmModel) { self.film = film }

    var body: some View {
        List {
            Section {
                Button("Play") { Task { await film.play() } }
                download
            }
            if let time = film.watchTime() { Text(time) }
            if let problem = film.problem { ProblemView(problem) }
        }
        .navigationTitle(film.film.title)
        // The keys are loaded while the viewer reads the page, so that playback starts at once.
        .task { await film.open() }
        // The player may cover the page.
        .onDisappear { if !film.isPlaying { film.close() } }
        .fullScreenCover(isPresented: $film.isPlaying) {
            if let player = film.player { PlayerView(player) { film.close() } }
        }
    }

    @ViewBuilder private var download: some View {
        switch film.download {
        case .none, .failed, .mediaMissing:
            Button("Download") { Task { await film.startDownload() } }
        case .loadingKeys:
            ProgressView("Loading keys")
        case .downloading(let fraction):
            ProgressView("Downloading", value: fraction)
            Button("Cancel", role: .cancel) { Task { await film.cancelDownload() } }
        case .finished:
            if film.needsRenewal { Button("Renew") { Task { await film.renew() } } }
            Button("Delete", role: .destructive) { Task { await film.delete() } }
        }
    }
}

/// A problem with the action that may solve it, and the details for support.
struct ProblemView: View {
    private let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    var body: some View {
        Section("Problem") {
            Text(problem.whatHappened)
            Text(problem.whatToDo)
            DisclosureGroup("Details") { Text(problem.details).font(.caption).textSelection(.enabled) }
        }
    }
}
