import AVFoundation
import AVKit
import SwiftUI
import UIKit

/// The player with a button for AirPlay.
struct PlayerView: View {
    private let player: AVPlayer
    private let close: @MainActor () -> Void

    init(_ player: AVPlayer, close: @escaping @MainActor () -> Void) { (self.player, self.close) = (player, close) }

    var body: some View {
        VideoPlayer(player: player)
            .ignoresSafeArea()
            .overlay(alignment: .topTrailing) {
                HStack {
                    RouteButton().frame(width: 44, height: 44)
                    Button("Close", action: close)
                }
                .padding()
            }
    }
}

/// The system's button that selects an AirPlay receiver. A receiver needs keys of its own, which the key session of the
/// playback requests.
private struct RouteButton: UIViewRepresentable {
    func makeUIView(context: Context) -> AVRoutePickerView {
        let view = AVRoutePickerView()
        view.prioritizesVideoDevices = true
        return view
    }

    func updateUIView(_ view: AVRoutePickerView, context: Context) {}
}
