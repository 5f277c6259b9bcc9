# Functions for the packaging tests; to be sourced, together with lib.sh. MEDIA is the folder that IntegrationTests/media
# generated, SHAKA the executable that IntegrationTests/peers installed, or empty.
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
MEDIA=${MEDIA:-$("$here/media")}
SHAKA=${SHAKA-$("$here/peers" || true)}

# A key for tests only. The IV has bytes that a wrong sign or byte order would change.
kid=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf
key=3c4b5a69788796a5b4c3d2e1f00f1e2d
iv=f1e2d3c4b5a6978800112233445566fe
# shellcheck disable=SC2034 # used by the scripts that source this file
key_options=(--key-id "$kid" --key "$key" --iv "$iv")

# The distribution's Python, if another one in PATH lacks the cryptography package.
python=python3
$python -c 'import cryptography' 2>/dev/null || python=/usr/bin/python3
tool() {
    local name=$1
    shift
    "$python" "$here/lib/$name" "$@"
}

# need_shaka: ends the test as passed if Shaka Packager is not available.
need_shaka() {
    [ -z "$SHAKA" ] || return 0
    [ -z "${KEYWAY_REQUIRE_PEERS:-}" ] || fail "Shaka Packager is not installed, and KEYWAY_REQUIRE_PEERS is set"
    echo "skipped: Shaka Packager is not installed"
    exit 0
}

# package OUT INPUT... [OPTIONS]: packages with keyway, in segments of 2 seconds, and checks the output, including the times of
# the inputs' packets.
package() {
    local out=$1 argument inputs=()
    shift
    keyway package "$@" --out "$out" --segment-duration 2s >"$out.log" 2>&1 ||
        fail "exit code $?: keyway package $* -- $(cat "$out.log")"
    for argument in "$@"; do
        case $argument in
            --*) break ;;
            *.vtt*) ;;
            *) inputs+=(--input "${argument%%,*}") ;;
        esac
    done
    check_presentation "$out/main.m3u8" "${inputs[@]}"
}

# check_presentation PLAYLIST [OPTIONS]: requires that the playlist linter and the second readers find no errors.
check_presentation() {
    local playlist=$1 output
    shift
    output=$(keyway playlist check "$playlist" 2>&1) || fail "playlist check: $output"
    output=$(tool check-presentation "$playlist" --key "$key" "$@" 2>&1) || fail "$playlist: $output"
}

# hashes FILE video|audio [KEY [INDEX]]: prints a hash for each decoded frame. Edit lists are ignored, so that samples that other
# containers cannot exclude (priming in a transport stream) are compared as well. A frame that does not decode is an error: ffmpeg
# would exit with 0 for ciphertext that can be parsed. ffmpeg 5.1 decrypts a second fragment only in inputs that are not seekable:
# otherwise it reads ahead, and uses IVs and subsamples of another fragment.
hashes() {
    local file=$1 kind=${2:0:1} options=() complaints
    complaints=$(basename "$file").$kind.log
    case $file in
        *.mp4 | *.m4a | *.mov) options+=(-ignore_editlist 1 ${3:+-seekable 0 -decryption_key "$3"}) ;;
        *.h264) options+=(-f h264) ;;
    esac
    ffmpeg -nostdin -hide_banner -loglevel error -xerror -flags2 +skip_manual "${options[@]}" -i "$file" \
        -map "0:$kind:${4:-0}" -fps_mode passthrough -f framemd5 - 2>"$complaints" | sed -n 's/^[0-9].*, *//p' || true
    [ ! -s "$complaints" ] || fail "ffmpeg on $file: $(head -n 3 "$complaints")"
}

# clear_hashes NAME video|audio [INDEX]: prints the hashes of a test movie, computed once.
clear_hashes() {
    local cached=$MEDIA/$1.$2.${3:-0}.hashes
    if [ ! -s "$cached" ]; then
        hashes "$MEDIA/$1" "$2" "" "${3:-0}" >"$cached.$$"
        [ -s "$cached.$$" ] || fail "$1 has no $2 frames"
        mv "$cached.$$" "$cached"
    fi
    cat "$cached"
}

# joined PLAYLIST OUT: joins the renditions to files, listed in the array `files` as "KIND NAME FILE".
files=()
joined() {
    tool join-renditions "$1" "$2" --key "$key" --iv "$iv" >"$2.files" 2>"$2.log" || fail "$1: $(cat "$2.log")"
    mapfile -t files <"$2.files"
    [ ${#files[@]} -gt 0 ] || fail "$1 has neither video nor audio"
}

# packaging_options SCHEME CONTAINER: sets the options of keyway package, in the array `options`.
packaging_options() {
    options=(--scheme "$1" --container "$2")
    case $1 in
        none) ;;
        aes-128) options+=("${key_options[@]}" --systems identity --key-uri https://keys.example.com/key) ;;
        *) options+=("${key_options[@]}") ;;
    esac
}

# same_frames WHAT NAME video|audio FILE [KEY]: requires that a file has the frames of a test movie. `compared` counts them.
compared=0
same_frames() {
    local what=$1 name=$2 kind=$3 file=$4 count
    clear_hashes "$name" "$kind" >wanted
    hashes "$file" "$kind" "${5:-}" >found
    count=$(wc -l <wanted)
    cmp -s wanted found || fail "$what: $(diff wanted found | grep -c '^<') of $count frames are missing," \
        "$(wc -l <found) were decoded; $(cmp wanted found 2>&1)"
    compared=$((compared + count))
}

# kinds FILE: prints the kinds of streams in a file: video, audio.
kinds() {
    ffprobe -v error -show_entries stream=codec_type -of csv=p=0 "$1" | tr -d , | grep -E 'video|audio' | sort -u
}

# shaka OUT SCHEME CONTAINER INPUT: packages with Shaka Packager, each kind of stream in the input. SCHEME is one of none, cbcs, cenc,
# cens, cbc1 or aes128; CONTAINER is fmp4, or ts, with which cbcs means SAMPLE-AES.
shaka() {
    local out=$1 scheme=$2 container=$3 input=$4 kind stream streams=() options=()
    rm -rf "$out"
    for kind in $(kinds "$input"); do
        stream="in=$input,stream=$kind,playlist_name=$kind/media.m3u8"
        if [ "$kind" = audio ]; then stream+=",hls_group_id=audio,hls_name=audio"; fi
        case $container in
            fmp4) stream+=",init_segment=$out/$kind/init.mp4,segment_template=$out/$kind/\$Number\$.m4s" ;;
            ts) stream+=",segment_template=$out/$kind/\$Number\$.ts" ;;
        esac
        streams+=("$stream")
    done
    if [ "$scheme" != none ]; then
        options+=(--enable_raw_key_encryption --keys "label=:key_id=$kid:key=$key" --iv "$iv" --clear_lead 0
            --protection_scheme "$scheme" --hls_key_uri "skd://$kid")
    fi
    "$SHAKA" "${streams[@]}" "${options[@]}" --segment_duration 2 --quiet \
        --hls_master_playlist_output "$out/main.m3u8" >"$out.log" 2>&1 || fail "Shaka Packager: $(tail -n 3 "$out.log")"
}

# shaka_decrypts FILE video|audio OUT: decrypts fragmented MP4.
shaka_decrypts() {
    "$SHAKA" "in=$1,stream=$2,output=$3" --enable_raw_key_decryption --keys "label=:key_id=$kid:key=$key" --quiet \
        >"$3.log" 2>&1 || fail "Shaka Packager cannot decrypt $1: $(tail -n 3 "$3.log")"
}
