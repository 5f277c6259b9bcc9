import ByteCoding

extension VideoUsabilityInformation {
    /// Reads the fields that both codecs share, from `aspect_ratio_info_present_flag` to the chroma locations.
    mutating func readPicture(_ reader: inout BitReader) throws(ParseError) {
        if try reader.readFlag("aspect_ratio_info_present_flag") {
            let code = try reader.readInt(8, "aspect_ratio_idc")
            if code == 255 {
                let width = try reader.readInt(16, "sar_width")
                sampleAspectRatio = AspectRatio(width: width, height: try reader.readInt(16, "sar_height"))
            } else {
                sampleAspectRatio = AspectRatio(code: code)
            }
        }
        if try reader.readFlag("overscan_info_present_flag") { try reader.skip(bits: 1, "overscan_appropriate_flag") }
        if try reader.readFlag("video_signal_type_present_flag") {
            try reader.skip(bits: 3, "video_format")
            let isFullRange = try reader.readFlag("video_full_range_flag")
            if try reader.readFlag("colour_description_present_flag") {
                let bits = try reader.readBits(24, "color description")
                color = ColorDescription(
                    primaries: UInt8(truncatingIfNeeded: bits >> 16),
                    transfer: UInt8(truncatingIfNeeded: bits >> 8),
                    matrix: UInt8(truncatingIfNeeded: bits),
                    isFullRange: isFullRange
                )
            }
        }
        if try reader.readFlag("chroma_loc_info_present_flag") {
            _ = try reader.readUE("chroma_sample_loc_type_top_field")
            _ = try reader.readUE("chroma_sample_loc_type_bottom_field")
        }
    }

    /// Reads `num_units_in_tick` and `time_scale`, 32 bits each. Returns nil if one is 0, which some encoders write.
    static func readTicks(_ reader: inout BitReader) throws(ParseError) -> Timing? {
        let units = try reader.readBits(32, "num_units_in_tick")
        let scale = try reader.readBits(32, "time_scale")
        return units == 0 || scale == 0 ? nil : Timing(unitsInTick: units, timeScale: scale, isFixed: false)
    }
}
