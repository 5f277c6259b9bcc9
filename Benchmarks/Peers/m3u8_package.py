"""Prints the seconds that the Python package m3u8 takes to parse a playlist, the median of several rounds.

    m3u8_package.py FILE
"""

import statistics
import sys
import time

import m3u8

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()


def read():
    start = time.process_time()
    playlist = m3u8.loads(text)
    if len(playlist.segments) + len(playlist.playlists) == 0:
        sys.exit("the playlist has no segments or variants")
    return time.process_time() - start


read()
print(statistics.median(read() for _ in range(7)))
