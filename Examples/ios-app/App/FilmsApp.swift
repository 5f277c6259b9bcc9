import AVFAudio
import FilmKeys
import FilmViews
import Foundation
import SwiftUI
import UIKit

// Replace the address, the token and the films by those of your service.

/// The films in the form in which a service can return them.
private let films = """
    [{
        "id": "demo", "title": "Demo", "url": "https://media.example/demo/main.m3u8", "keys": ["skd://demo"],
        "storageDuration": 2592000, "playbackDuration": 172800
    }]
    """

/// The app.
@main
struct FilmsApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup { LibraryView(delegate.library) }
    }
}

/// The app's delegate. The library exists before the first view, because the system launches the app without views when
/// downloads have finished.
@MainActor
final class AppDelegate: NSObject, UIApplicationDelegate {
    let library = Library(
        films: (try? JSONDecoder().decode([Film].self, from: Data(films.utf8))) ?? [],
        service: .keyway("https://keys.example") { "a playback token from your service" }
    )

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        // Sound continues during AirPlay and with the silent switch on.
        try? AVAudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback)
        Task { await library.run() }
        return true
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Library.handleEvents(forBackgroundURLSession: identifier) { completionHandler() }
    }
}
