// @ts-check
/** @file Empty; the server returns hls.js instead of this file if its setting `playerLibrary` names one. */

export {};
