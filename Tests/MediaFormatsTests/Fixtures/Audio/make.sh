#!/bin/sh
# Creates the streams of this folder with ffmpeg's encoders (Debian 12: ffmpeg 5.1), and a text file for each with
# ffprobe's output: codec, sample rate, channels, then one line per frame with its size in bytes.
set -e
audio() {
    name=$1 source=$2; shift 2
    ffmpeg -hide_banner -v error -y -f lavfi -i "$source" -fflags +bitexact -flags +bitexact "$@" "$name"
}
tone="sine=f=440:b=3:r=48000:d=0.4"
audio stereo.aac "$tone" -ac 2 -c:a aac -b:a 64k -f adts
audio surround.aac "$tone" -ac 6 -c:a aac -b:a 128k -f adts
# 7.1 with two back channels, which no channel configuration of 3 bits represents: a program_config_element does.
audio element.aac "sine=r=44100:d=0.2" -af "pan=octagonal|FL=c0|FR=c0|FC=c0|BL=c0|BR=c0|BC=c0|SL=c0|SR=c0" \
    -c:a aac -b:a 160k -f adts
audio stereo.ac3 "$tone" -ac 2 -c:a ac3 -b:a 96k
audio surround.ac3 "sine=r=44100:d=0.3" -ac 6 -c:a ac3 -b:a 192k
audio stereo.eac3 "$tone" -ac 2 -c:a eac3 -b:a 96k
audio surround.eac3 "$tone" -ac 6 -c:a eac3 -b:a 192k
# More data than a syncframe of six blocks can contain: three blocks each, two syncframes per access unit.
audio blocks.eac3 "sine=r=32000:d=0.14" -ac 1 -c:a eac3 -b:a 900k
audio aac.mp4 "$tone" -ac 2 -c:a aac -b:a 64k
audio ac3.mp4 "$tone" -ac 6 -c:a ac3 -b:a 192k
audio eac3.mp4 "$tone" -ac 6 -c:a eac3 -b:a 192k
for file in *.aac *.ac3 *.eac3 *.mp4; do
    {
        ffprobe -v error -show_entries stream=codec_name,sample_rate,channels -of csv=p=0 "$file"
        ffprobe -v error -show_entries packet=size -of csv=p=0 "$file" | sed 's/,.*//'
    } >"$file.txt"
done
