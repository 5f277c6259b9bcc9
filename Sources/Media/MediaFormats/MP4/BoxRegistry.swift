/// All types of boxes that this library describes. A listing and the tests of boxes read this list; packaging and
/// decryption use the types themselves.
public enum BoxRegistry {
    /// The types, in the order of a file. A new type of box is one file in `Boxes` and its entry here.
    public static let boxes: [any ListedBox.Type] = [
        ContainerBox.self, MetaBox.self, FileTypeBox.self, MovieHeaderBox.self, TrackHeaderBox.self, EditListBox.self,
        MediaHeaderBox.self, ExtendedLanguageBox.self, HandlerBox.self, KindBox.self, VideoMediaHeaderBox.self,
        SoundMediaHeaderBox.self, NullMediaHeaderBox.self, SubtitleMediaHeaderBox.self, DataReferenceBox.self,
        SampleDescriptionBox.self, AVCConfigurationBox.self, HEVCConfigurationBox.self,
        DolbyVisionConfigurationBox.self, MasteringDisplayBox.self, ContentLightLevelBox.self,
        ColorInformationBox.self, PixelAspectRatioBox.self, BitRateBox.self, ElementaryStreamDescriptorBox.self,
        AC3ConfigurationBox.self, EnhancedAC3ConfigurationBox.self, ProtectionSchemeInfoBox.self,
        OriginalFormatBox.self, SchemeTypeBox.self, TrackEncryptionBox.self, TimeToSampleBox.self,
        CompositionOffsetBox.self, SyncSampleBox.self, SampleToChunkBox.self, SampleSizeBox.self, ChunkOffsetBox.self,
        SampleGroupDescriptionBox.self, SampleToGroupBox.self, MovieExtendsHeaderBox.self, TrackExtendsBox.self,
        ProtectionSystemHeaderBox.self, SegmentIndexBox.self, EventMessageBox.self, ProducerReferenceTimeBox.self,
        MovieFragmentHeaderBox.self, TrackFragmentHeaderBox.self, TrackFragmentDecodeTimeBox.self, TrackRunBox.self,
        AuxiliaryInformationSizesBox.self, AuxiliaryInformationOffsetsBox.self, SampleEncryptionBox.self,
        TrackFragmentRandomAccessBox.self, MovieFragmentRandomAccessOffsetBox.self, LoudnessInformationBox.self,
    ]

    private static let byType: [FourCC: any ListedBox.Type] = Dictionary(
        boxes.flatMap { box in box.types.map { ($0, box) } },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the type that reads boxes of a type; nil if the type is not known.
    public static func box(_ type: FourCC) -> (any ListedBox.Type)? { byType[type] }
}
