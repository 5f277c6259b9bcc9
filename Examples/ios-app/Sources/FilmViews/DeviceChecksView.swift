import FilmKeys
import SwiftUI
import UIKit

/// Runs the device checks and shows their report, which can be pasted into an issue.
struct DeviceChecksView: View {
    private let library: Library
    @State private var lines: [String] = []
    @State private var isRunning = false

    init(_ library: Library) { self.library = library }

    var body: some View {
        List {
            Button("Run the checks") { Task { await run() } }.disabled(isRunning)
            if isRunning { ProgressView("This takes about six minutes") }
            Text(report).font(.caption).textSelection(.enabled)
            ShareLink(item: report)
        }
        .navigationTitle("Device checks")
    }

    private var report: String {
        (lines + ["7 events of downloads since the launch: \(library.downloadEvents.joined(separator: ", "))"])
            .joined(separator: "\n")
    }

    private func run() async {
        (lines, isRunning) = ([], true)
        defer { isRunning = false }
        let device = UIDevice.current
        let film = library.films.first { $0.film.playbackDuration != nil }?.film
        _ = await DeviceChecks(library.service, film: film)
            .run("\(device.model), \(device.systemName) \(device.systemVersion)") { lines.append($0) }
    }
}
