#!/bin/sh
# Makes the streams of this folder anew: ffmpeg with libx264 and libx265. Then: ./expected.py *.h264 *.hevc
set -e
h264() {
    name=$1 size=$2 frames=$3 format=$4; shift 4
    ffmpeg -hide_banner -v error -y -f lavfi -i "testsrc2=s=$size:r=25" -vf "$VF" -frames:v "$frames" -pix_fmt "$format" \
        -c:v libx264 -threads 1 "$@" "$name.h264"
}
hevc() {
    name=$1 size=$2 frames=$3 format=$4 options=$5; shift 5
    ffmpeg -hide_banner -v error -y -f lavfi -i "testsrc2=s=$size:r=25" -vf "$VF" -frames:v "$frames" -pix_fmt "$format" \
        -c:v libx265 -x265-params "log-level=none:pools=1:frame-threads=1:$options" "$@" "$name.hevc"
}
VF=null
h264 slices 64x48 6 yuv420p -x264-params slices=3:bframes=2:keyint=4 -crf 35
h264 cavlc 64x48 8 yuv420p -profile:v baseline -x264-params slices=2:ref=4 -crf 35
h264 field 64x64 8 yuv420p -flags +ildct+ilme -x264-params interlaced=1:bframes=2:weightp=2:ref=4 -crf 35
h264 high422 64x48 6 yuv422p10le -x264-params bframes=2:ref=3 -crf 35 -color_primaries bt2020 -color_trc arib-std-b67 \
    -colorspace bt2020nc
h264 vui 50x38 6 yuv420p -crf 35 -aspect 16:9 -x264-params \
    "nal-hrd=cbr:vbv-maxrate=100:vbv-bufsize=200:bitrate=100:force-cfr=1:colorprim=bt709:transfer=bt709:colormatrix=bt709:fullrange=on"
h264 long 64x48 40 yuv420p -x264-params keyint=300:bframes=8:b-pyramid=2:ref=16:b-adapt=0:scenecut=0:slices=2 -crf 45
h264 recovery 64x48 20 yuv420p -x264-params open-gop=1:keyint=6:min-keyint=6:scenecut=0:bframes=2:aud=1 -crf 40
h264 intra-refresh 64x48 12 yuv420p -x264-params intra-refresh=1:keyint=8 -crf 40
VF="fade=in:0:12"
h264 weighted 64x48 12 yuv420p -x264-params weightp=2:weightb=1:bframes=3:b-adapt=0:ref=4 -crf 30
VF=null
h264 part-a 64x48 3 yuv420p -x264-params ref=1:bframes=0 -crf 35
h264 part-b 96x64 3 yuv420p -profile:v baseline -x264-params ref=3 -crf 35
cat part-a.h264 part-b.h264 > changes.h264
rm part-a.h264 part-b.h264

hevc hevc-slices 128x96 6 yuv420p slices=3:bframes=2:keyint=4:min-keyint=4:ctu=16 -crf 40
hevc hevc-wpp 128x128 5 yuv420p wpp=1:ctu=16:bframes=2:ref=4 -crf 40
hevc hevc-open-gop 64x64 24 yuv420p open-gop=1:keyint=8:min-keyint=8:bframes=3:b-adapt=0:b-pyramid=1:scenecut=0:aud=1:repeat-headers=1 -crf 45
hevc hevc-closed 64x64 10 yuv420p no-open-gop=1:keyint=5:min-keyint=5:no-wpp=1 -crf 45
hevc hevc-layers 64x64 20 yuv420p temporal-layers=3:bframes=7:b-adapt=0:ref=5 -crf 45
hevc hevc-hdr 66x50 6 yuv420p10le \
    "hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400:hrd=1:vbv-maxrate=100:vbv-bufsize=200:scaling-list=default:no-sao=1" \
    -crf 40
hevc hevc-lossless 64x64 3 yuv444p lossless=1:no-deblock=1:cu-lossless=1 
hevc hevc-hlg 64x64 3 yuv420p10le colorprim=bt2020:transfer=bt709:colormatrix=bt2020nc:atc-sei=18 -crf 40
hevc hevc-qp 64x64 6 yuv422p10le cbqpoffs=3:crqpoffs=-3:deblock=-2,2:bframes=2:no-sao=1:ref=6:limit-refs=0 -crf 40
VF="fade=in:0:12"
hevc hevc-weighted 64x64 12 yuv420p weightp=1:weightb=1:bframes=3:b-adapt=0:ref=4 -crf 35
VF=null
