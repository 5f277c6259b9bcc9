import ByteCoding
import MediaFormats

/// Calls the functions that a packager needs of the codecs.
func checkConfigurations(_ track: Track) {
    for entry in track.descriptions {
        for box in entry.boxes { check(box, in: entry) }
        if let description = (try? entry.audioDescription()) ?? nil { precondition(!description.codecs.isEmpty) }
        precondition(entry.boxes.isEmpty || entry.boxes.first(entry.boxes[0].type) == entry.boxes[0])
    }
}

private func check(_ box: RawBox, in entry: SampleEntry) {
    switch box.type {
    case "avcC":
        guard let configuration = try? box.parse(as: AVCConfigurationBox.self) else { return }
        checkParameterSets(configuration)
        precondition(configuration.codecs().utf8.count == 11)
    case "hvcC":
        guard let configuration = try? box.parse(as: HEVCConfigurationBox.self) else { return }
        checkParameterSets(configuration)
        precondition(configuration.profileTierLevel.codecs().hasPrefix("hvc1."))
    case "colr":
        guard let color = try? box.parse(as: ColorInformationBox.self) else { return }
        let range = DynamicRange(container: color.description, codec: nil)
        precondition(range == color.description?.dynamicRange ?? .sdr)
    case "pasp":
        guard let shape = try? box.parse(as: PixelAspectRatioBox.self) else { return }
        precondition((shape.ratio == nil) == (shape.horizontal == 0 || shape.vertical == 0))
    case "dvcC", "dvvC", "dvwC":
        guard let vision = try? box.parse(as: DolbyVisionConfigurationBox.self) else { return }
        precondition(vision.codecs(sampleEntry: entry.originalFormat).utf8.count >= 10)
        for base in ["hvc1", "hev1", "avc1", "avc3", "av01"] as [FourCC] {
            let codecs = vision.supplementalCodecs(sampleEntry: base)
            precondition(codecs.map { $0.contains("/db") } ?? (vision.brand == nil))
        }
        _ = vision.dynamicRange
    default: break
    }
}

/// Checks that a box made of another box's parameter sets has the same parameter sets.
private func checkParameterSets(_ box: AVCConfigurationBox) {
    _ = try? H264ParameterSets(box)
    let made = try? AVCConfigurationBox(
        sequenceParameterSets: box.sequenceParameterSets,
        pictureParameterSets: box.pictureParameterSets
    )
    guard let made else { return }
    let again = try? RawBox(made).parse(as: AVCConfigurationBox.self)
    precondition(again == made && made.sequenceParameterSets == box.sequenceParameterSets)
}

private func checkParameterSets(_ box: HEVCConfigurationBox) {
    _ = try? HEVCParameterSets(box)
    let made = try? HEVCConfigurationBox(
        videoParameterSets: box.units(.videoParameterSet),
        sequenceParameterSets: box.units(.sequenceParameterSet),
        pictureParameterSets: box.units(.pictureParameterSet)
    )
    guard let made else { return }
    let again = try? RawBox(made).parse(as: HEVCConfigurationBox.self)
    precondition(again == made && made.units(.sequenceParameterSet) == box.units(.sequenceParameterSet))
}
