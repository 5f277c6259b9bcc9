import ByteCoding
import TextCoding

// The fields to display for each box. Tables are displayed as their number of entries.

private typealias Field = BoxTree.Field

/// Reads the fields before the child boxes of a sample entry.
func sampleEntryFields(
    _ format: FourCC,
    _ reader: inout ByteReader,
    handler: FourCC,
    version: UInt8
) throws(ParseError) -> [BoxTree.Field] {
    try reader.skip(6, "reserved")
    let reference = Field("data_reference_index", try reader.readUInt16("data reference index"))
    switch handler {
    case "vide":
        let fields = try VisualSampleFields(reading: &reader)
        return [reference, Field("width", fields.width), Field("height", fields.height)]
    case "soun":
        let fields = try AudioSampleFields(reading: &reader, isQuickTime: version == 0)
        return [
            reference, Field("channelcount", fields.channelCount), Field("samplesize", fields.sampleSize),
            Field("samplerate", fields.sampleRate),
        ]
    default:
        if try TextSampleFields(reading: &reader, format: format) == nil {
            try reader.skip(reader.remaining, "sample entry")
        }
        return [reference]
    }
}

/// Reads the fields of a box to display. Returns no fields if the box is not known.
func boxFields(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> [BoxTree.Field] {
    switch type {
    case "ftyp", "styp":
        let box = try FileTypeBox(reading: &reader)
        let brands = box.compatibleBrands.map(\.description).joined(separator: ",")
        return [Field("major_brand", box.majorBrand), Field("compatible_brands", brands)]
    case "mvhd":
        let box = try MovieHeaderBox(reading: &reader)
        return [Field("timescale", box.timescale), Field("duration", box.duration)]
    case "tkhd":
        let box = try TrackHeaderBox(reading: &reader)
        return [
            Field("track_ID", box.trackID), Field("duration", box.duration), Field("flags", box.flags),
            Field("width", Double(box.width) / 65536), Field("height", Double(box.height) / 65536),
        ]
    case "mdhd":
        let box = try MediaHeaderBox(reading: &reader)
        return [
            Field("timescale", box.timescale), Field("duration", box.duration), Field("language", box.language),
        ]
    case "hdlr":
        let box = try HandlerBox(reading: &reader)
        return [Field("handler_type", box.handlerType), Field("name", box.name)]
    case "elng": return [Field("extended_language", try ExtendedLanguageBox(reading: &reader).language)]
    case "elst":
        let edits = try EditListBox(reading: &reader).entries.prefix(16).map {
            "\($0.segmentDuration)@\($0.mediaTime.map(String.init) ?? "empty")"
        }
        return [Field("edits", edits.joined(separator: ","))]
    case "stts", "ctts", "stss", "stsc", "stco", "co64", "stsz", "stz2": return try tableFields(type, &reader)
    case "mehd", "trex", "mfhd", "tfhd", "tfdt", "trun", "sidx", "tfra", "mfro":
        return try fragmentFields(type, &reader)
    case "frma": return [Field("data_format", try reader.readFourCC("original format"))]
    case "schm", "tenc", "pssh", "senc", "saiz", "saio", "sgpd", "sbgp": return try protectionFields(type, &reader)
    case "esds":
        let box = try ElementaryStreamDescriptorBox(reading: &reader)
        return [
            Field("objectTypeIndication", "0x" + Hexadecimal.encode([box.objectType])),
            Field("decoderSpecificInfo", Hexadecimal.encode(box.decoderSpecificInfo.prefix(64))),
        ]
    case "dac3":
        let box = try AC3ConfigurationBox(reading: &reader)
        return [
            Field("bsid", box.bitStreamID), Field("acmod", box.codingMode), Field("lfeon", box.hasLowFrequency ? 1 : 0),
            Field("bit_rate", box.bitRate), Field("channels", box.channelCount),
        ]
    case "dec3":
        let box = try EnhancedAC3ConfigurationBox(reading: &reader)
        return [
            Field("data_rate", box.dataRate), Field("num_ind_sub", box.substreams.count),
            Field("num_dep_sub", box.substreams.map { String($0.dependentCount) }.joined(separator: ",")),
            Field("channels", box.channelsAttribute),
        ]
    case "emsg":
        let box = try EventMessageBox(reading: &reader)
        return [Field("scheme_id_uri", box.schemeIDURI), Field("value", box.value), Field("id", box.id)]
    default: return []
    }
}

private func tableFields(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> [Field] {
    let count: Int
    switch type {
    case "stts": count = try TimeToSampleBox(reading: &reader).entries.count
    case "ctts": count = try CompositionOffsetBox(reading: &reader).entries.count
    case "stss": count = try SyncSampleBox(reading: &reader).entries.count
    case "stsc": count = try SampleToChunkBox(reading: &reader).entries.count
    case "stco", "co64": count = try ChunkOffsetBox(reading: &reader, type: type).entries.count
    default:
        let box = try SampleSizeBox(reading: &reader, type: type)
        return [Field("sample_count", box.sampleCount), Field("sample_size", box.sampleSize)]
    }
    return [Field("entry_count", count)]
}

private func fragmentFields(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> [Field] {
    switch type {
    case "mehd": return [Field("fragment_duration", try MovieExtendsHeaderBox(reading: &reader).fragmentDuration)]
    case "trex":
        let box = try TrackExtendsBox(reading: &reader)
        return [Field("track_ID", box.trackID), Field("default_sample_duration", box.sampleDuration)]
    case "mfhd": return [Field("sequence_number", try MovieFragmentHeaderBox(reading: &reader).sequenceNumber)]
    case "tfhd":
        let box = try TrackFragmentHeaderBox(reading: &reader)
        var fields = [Field("track_ID", box.trackID)]
        if let offset = box.baseDataOffset { fields.append(Field("base_data_offset", offset)) }
        if let duration = box.sampleDuration { fields.append(Field("default_sample_duration", duration)) }
        if box.isDefaultBaseMoof { fields.append(Field("default_base_is_moof", 1)) }
        return fields
    case "tfdt":
        return [Field("baseMediaDecodeTime", try TrackFragmentDecodeTimeBox(reading: &reader).baseMediaDecodeTime)]
    case "trun":
        let header = try FullBoxHeader(reading: &reader, of: type, newest: 1)
        var fields = [
            Field("version", header.version), Field("flags", "0x" + Hexadecimal.encode(header.flags, digits: 1)),
            Field("sample_count", try reader.readUInt32("number of samples in a run")),
        ]
        if header.flags & 1 != 0 {
            let offset = Int32(bitPattern: try reader.readUInt32("data offset of a run"))
            fields.append(Field("data_offset", offset))
        }
        return fields
    case "sidx":
        let box = try SegmentIndexBox(reading: &reader)
        return [
            Field("timescale", box.timescale), Field("earliest_presentation_time", box.earliestPresentationTime),
            Field("reference_count", box.references.count),
        ]
    case "tfra":
        let box = try TrackFragmentRandomAccessBox(reading: &reader)
        return [Field("track_ID", box.trackID), Field("number_of_entry", box.entries.count)]
    default: return [Field("size", try MovieFragmentRandomAccessOffsetBox(reading: &reader).size)]
    }
}

private func protectionFields(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> [Field] {
    switch type {
    case "schm":
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 0)
        return [Field("scheme_type", try reader.readFourCC("scheme type"))]
    case "tenc":
        let box = try TrackEncryptionBox(reading: &reader)
        return [
            Field("isProtected", box.isProtected), Field("pattern", "\(box.cryptByteBlock):\(box.skipByteBlock)"),
            Field("Per_Sample_IV_Size", box.perSampleIVSize), Field("KID", Hexadecimal.encode(box.keyID)),
            Field("constant_IV", Hexadecimal.encode(box.constantIV)),
        ]
    case "pssh":
        let box = try ProtectionSystemHeaderBox(reading: &reader)
        var fields = [Field("SystemID", Hexadecimal.encode(box.systemID)), Field("DataSize", box.data.count)]
        if let keyIDs = box.keyIDs {
            fields.append(Field("KID", keyIDs.prefix(16).map { Hexadecimal.encode($0) }.joined(separator: ",")))
        }
        return fields
    case "senc":
        let flags = try FullBoxHeader(reading: &reader, of: type, newest: 0).flags
        return [
            Field("flags", flags), Field("sample_count", try reader.readUInt32("number of samples in the senc box")),
        ]
    case "saiz":
        let box = try AuxiliaryInformationSizesBox(reading: &reader)
        return [Field("default_sample_info_size", box.defaultSize), Field("sample_count", box.sampleCount)]
    case "saio":
        let offsets = try AuxiliaryInformationOffsetsBox(reading: &reader).offsets
        return [Field("offsets", offsets.prefix(16).map(String.init).joined(separator: ","))]
    case "sgpd":
        let box = try SampleGroupDescriptionBox(reading: &reader)
        return [Field("grouping_type", box.groupingType), Field("entry_count", box.entries.count)]
    default:
        let box = try SampleToGroupBox(reading: &reader)
        return [Field("grouping_type", box.groupingType), Field("entry_count", box.entries.count)]
    }
}
