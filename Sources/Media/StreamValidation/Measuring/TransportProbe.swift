import ByteCoding
import MediaDecryption
import MediaFormats

/// Measures the segments of a transport stream, clear or with SAMPLE-AES, whose headers stay clear.
struct TransportProbe: Sendable {
    /// The number of bytes demultiplexed at a time.
    private static let chunkSize = 188 * 2048
    /// The PID of service description tables (ETSI EN 300 468), which ffmpeg writes before the other tables.
    private static let serviceDescription: UInt16 = 0x11
    /// The tables of an init segment (EXT-X-MAP), which I-frame playlists of transport streams have.
    var initialization: [UInt8] = []

    /// Measures the next segment.
    ///
    /// - Parameter isTruncated: Whether the last PES packet may be incomplete.
    /// - Throws: `ParseError` if the bytes are not transport packets, or there is no program map table.
    func measure(_ segment: RawSpan, isTruncated: Bool) throws(ParseError) -> SegmentMeasurement {
        var result = SegmentMeasurement(container: .transportStream, byteCount: segment.byteCount)
        var demuxer = TransportDemuxer()
        var tracks = TransportTracks()
        do {
            try demuxer.feed(initialization.span.bytes) { tracks.add($0) }
            for map in demuxer.takeProgramMaps() { tracks.declare(map) }
            for start in stride(from: 0, to: segment.byteCount, by: Self.chunkSize) {
                let chunk = segment.extracting(start..<min(start + Self.chunkSize, segment.byteCount))
                try demuxer.feed(chunk) { tracks.add($0) }
                for map in demuxer.takeProgramMaps() { tracks.declare(map) }
            }
            try demuxer.finish { tracks.add($0) }
        } catch let error as ParseError {
            throw error
        } catch {
            throw ParseError(.invalidValue, reading: "transport stream", offset: 0, reason: "\(error)")
        }
        result.damage = isTruncated ? max(0, demuxer.damage - 1) : demuxer.damage
        result.startsWithTables = Self.startsWithTables(segment)
        result.tracks = tracks.measurements
        return result
    }

    /// Returns whether the first packets are a program association table and a program map table (RFC 8216bis, 3.1.2).
    private static func startsWithTables(_ segment: RawSpan) -> Bool {
        var hasAssociation = false
        for index in 0..<min(4, segment.byteCount / TransportPacketHeader.packetSize) {
            guard let header = try? TransportPacketHeader(segment, at: index * TransportPacketHeader.packetSize) else {
                return false
            }
            if header.pid == ReservedPID.programAssociation {
                hasAssociation = true
            } else if header.pid == ReservedPID.null || header.pid == Self.serviceDescription {
                continue
            } else {
                return hasAssociation && header.isUnitStart
            }
        }
        return hasAssociation
    }
}

/// The tracks of one segment of a transport stream.
private struct TransportTracks {
    private var builders: [UInt16: TransportTrackBuilder] = [:]
    private var order: [UInt16] = []
    /// The packets that arrived before their program map table was read.
    private var early: [TransportDemuxer.Packet] = []

    mutating func declare(_ map: ProgramMapTable) {
        for stream in map.streams where builders[stream.pid] == nil {
            builders[stream.pid] = TransportTrackBuilder(stream.pid, stream.type)
            order.append(stream.pid)
        }
        let packets = early
        early.removeAll()
        for packet in packets { builders[packet.pid]?.add(packet) }
    }

    mutating func add(_ packet: TransportDemuxer.Packet) {
        // A chunk can contain the table and the packets after it.
        guard builders[packet.pid] != nil else { return early.append(packet) }
        builders[packet.pid]?.add(packet)
    }

    var measurements: [TrackMeasurement] { order.compactMap { builders[$0]?.measurement } }
}

/// The measurement of one elementary stream in one segment.
private struct TransportTrackBuilder {
    private enum Codec {
        case h264, hevc, aac, ac3, other
    }

    private let codec: Codec
    private let isEncrypted: Bool
    private var track: TrackMeasurement
    private var h264 = H264ParameterSets()
    /// The presentation times of the pictures or of the first audio frames of PES packets.
    private var times: [Int64] = []
    private var lastDecodeTime: Int64?
    /// The duration of the audio frames after the last timestamp, in units of 1/90,000 second.
    private var lastDuration: Int64 = 0
    private var hasFormat = false

    init(_ pid: UInt16, _ type: TransportStreamType) {
        isEncrypted = SampleAESStream(encrypted: type) != nil
        let (codec, kind, entry): (Codec, TrackFormat.Kind, String) =
            switch type {
            case .h264, .encryptedH264: (.h264, .video, "avc1")
            case .hevc: (.hevc, .video, "hvc1")
            case .aac, .encryptedAAC: (.aac, .audio, "mp4a")
            case .ac3, .encryptedAC3: (.ac3, .audio, "ac-3")
            case .eac3, .encryptedEAC3: (.ac3, .audio, "ec-3")
            default: (.other, .other, "stream type \(type.rawValue)")
            }
        self.codec = codec
        var format = TrackFormat(kind: kind, container: .transportStream, sampleEntry: entry)
        if isEncrypted { format.protection = TrackFormat.Protection(scheme: "SAMPLE-AES") }
        track = TrackMeasurement(id: UInt32(pid), format: format)
    }

    mutating func add(_ packet: TransportDemuxer.Packet) {
        track.byteCount += packet.payload.count
        if let time = packet.presentationTime { times.append(time) }
        if let time = packet.decodeTime {
            if track.decodeStart == nil {
                track.decodeStart = MediaTime(time, timescale: MediaTime.transportTimescale)
            }
            lastDecodeTime = time
        }
        let bytes = packet.payload.span.bytes
        switch codec {
        case .h264, .hevc: addPictures(bytes, packet.presentationTime)
        case .aac, .ac3: addFrames(bytes)
        case .other: track.sampleCount += 1
        }
    }

    // MARK: Video

    private mutating func addPictures(_ bytes: RawSpan, _ time: Int64?) {
        var units = AnnexBNALUnits()
        var isIDR = false
        var access = RandomAccess.none
        var pictures = 0
        while let range = units.next(bytes) {
            let unit = bytes.extracting(range)
            if codec == .h264 {
                addH264(unit, &pictures, &access)
            } else {
                addHEVC(unit, &pictures, &access)
            }
        }
        if case .idr = access { isIDR = true }
        if track.sampleCount == 0, pictures > 0 { track.firstPicture = .init(access) }
        track.sampleCount += pictures
        if isEncrypted { track.encryptedSampleCount += pictures }
        if isIDR, let time { track.keyFrames.append(Double(time) / Double(MediaTime.transportTimescale)) }
    }

    private mutating func addH264(_ unit: RawSpan, _ pictures: inout Int, _ access: inout RandomAccess) {
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        switch type {
        case .slice, .idrSlice:
            // first_mb_in_slice is 0: the first bit after the header is 1.
            guard unit.byteCount > 1, unit.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & 0x80 != 0 else { return }
            if type == .idrSlice { access = .idr(mayHaveLeadingPictures: false) }
            if h264.latestSequence?.hasFramesOnly == false,
                let header = try? H264SliceHeader(unit, parameterSets: h264), header.isField
            {
                track.hasFields = true
                if header.isBottomField { return }
            }
            pictures += 1
        case .sequenceParameterSet:
            guard (try? h264.update(unit)) == true, !hasFormat, let set = h264.latestSequence else { return }
            hasFormat = true
            track.format.codecs = set.codecs()
            track.format.size = set.displaySize
            track.format.dynamicRange = DynamicRange(container: nil, codec: set.usability.color)
            track.format.details.color = set.usability.color
            track.format.details.mayBeInterlaced = !set.hasFramesOnly
        case .pictureParameterSet: _ = try? h264.update(unit)
        case .sei: addMessages(unit, headerSize: 1)
        default: break
        }
    }

    private mutating func addHEVC(_ unit: RawSpan, _ pictures: inout Int, _ access: inout RandomAccess) {
        guard let header = HEVCNALHeader(unit), header.layer == 0 else { return }
        switch header.type {
        case let type where type.isSlice:
            guard unit.byteCount > 2, unit.unsafeLoad(fromByteOffset: 2, as: UInt8.self) & 0x80 != 0 else { return }
            pictures += 1
            if type.isIDR { access = .idr(mayHaveLeadingPictures: type == .idrWRADL) }
            if type == .cra { access = .cra }
        case .sequenceParameterSet:
            guard !hasFormat, let set = try? HEVCSequenceParameterSet(unit) else { return }
            hasFormat = true
            track.format.codecs = set.profileTierLevel.codecs()
            track.format.size = set.displaySize
            track.format.dynamicRange = DynamicRange(container: nil, codec: set.usability.color)
            track.format.details.color = set.usability.color
        case .prefixSEI: addMessages(unit, headerSize: 2)
        default: break
        }
    }

    private mutating func addMessages(_ unit: RawSpan, headerSize: Int) {
        guard !track.hasClosedCaptions else { return }
        for case .closedCaptions in (try? SEIMessage.messages(unit, headerSize: headerSize)) ?? [] {
            track.hasClosedCaptions = true
        }
    }

    // MARK: Audio

    private mutating func addFrames(_ bytes: RawSpan) {
        lastDuration = 0
        var position = 0
        while position < bytes.byteCount {
            let rest = bytes.extracting(position..<bytes.byteCount)
            guard let (size, samples, rate) = frame(rest) else { return }
            if samples > 0 {
                track.sampleCount += 1
                if isEncrypted { track.encryptedSampleCount += 1 }
                if rate > 0 { lastDuration += Int64(samples) * Int64(MediaTime.transportTimescale) / Int64(rate) }
            }
            position += max(1, size)
        }
    }

    /// Returns the size in bytes, the number of samples and the sample rate of the frame at the start of the bytes; nil
    /// if no frame begins there. A dependent substream has no samples of its own.
    private mutating func frame(_ bytes: RawSpan) -> (size: Int, samples: Int, rate: UInt32)? {
        if codec == .aac {
            guard let header = try? ADTSHeader(bytes) else { return nil }
            if !hasFormat { describe(PackedAudioProbe.format(header)) }
            if !isEncrypted { track.loudness.inspect(adts: bytes) }
            return (header.frameLength, header.sampleCount, header.sampleRate)
        }
        guard let header = try? AC3Syncframe(bytes) else { return nil }
        if !hasFormat { describe(PackedAudioProbe.format(header, bytes, 0)) }
        if header.beginsAccessUnit { track.loudness.inspect(ac3: bytes) }
        return (header.size, header.beginsAccessUnit ? header.sampleCount : 0, header.sampleRate)
    }

    private mutating func describe(_ format: TrackFormat) {
        hasFormat = true
        let own = track.format
        track.format = format
        (track.format.container, track.format.protection) = (own.container, own.protection)
    }

    // MARK: Result

    /// The measurement, with the times of all packets so far.
    var measurement: TrackMeasurement {
        var track = track
        let sorted = times.sorted()
        guard let first = sorted.first, let last = sorted.last else { return track }
        let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }
        let isVideo = track.format.kind == .video
        // The last picture lasts as long as the one before it: a segment does not say.
        let tail = isVideo ? steps.last ?? 0 : lastDuration
        if isVideo, let shortest = steps.min(), let longest = steps.max() { track.sampleDurations = shortest...longest }
        track.start = MediaTime(first, timescale: MediaTime.transportTimescale)
        track.firstTime = times.first.map { MediaTime($0, timescale: MediaTime.transportTimescale) }
        track.end = MediaTime(last + tail, timescale: MediaTime.transportTimescale)
        if let lastDecodeTime {
            track.decodeEnd = MediaTime(lastDecodeTime + tail, timescale: MediaTime.transportTimescale)
        }
        return track
    }
}
