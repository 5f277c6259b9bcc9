// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see ../README.md.

public import AVFoundation
public import SwiftUI
public import UIKit

public struct VideoPlayer<VideoOverlay: View>: View {
    public init(player: AVPlayer?) where VideoOverlay == EmptyView {}
    public var body: some View { EmptyView() }
}

@MainActor open class AVRoutePickerView: UIView {
    open var prioritizesVideoDevices = false
}
